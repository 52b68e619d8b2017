//! Places in values, as `--column` and `--where` name them: `address.city`, `tags[0]`.

use std::fmt;

use holdall::Value;

use crate::cat::value_of;

/// A place in values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place(Vec<PickStep>);

#[derive(Clone, Debug, PartialEq)]
enum PickStep {
    Field(String),
    Item(usize),
}

/// A place that no value has had so far: probably a typing error.
pub(crate) struct Missing<'p> {
    option: &'static str,
    place: &'p Place,
    /// How many steps of the place a value has had.
    depth: usize,
    /// The fields that values have there.
    names: Vec<String>,
}

/// How many fields an error lists.
pub(crate) const LISTED: usize = 20;

/// The content that a value must have at a path.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    place: Place,
    value: Value,
}

impl Place {
    pub(crate) fn parse(text: &str) -> Result<Place, &'static str> {
        let mut steps = Vec::new();
        for part in text.strip_prefix("$.").unwrap_or(text).split('.') {
            let (name, items) = part.split_at(part.find('[').unwrap_or(part.len()));
            if !name.is_empty() {
                steps.push(PickStep::Field(name.to_owned()));
            } else if items.is_empty() {
                return Err("a name between two dots is missing");
            }
            if !items.is_empty() && !items.ends_with(']') {
                return Err("a ] is missing");
            }
            for item in items.split_terminator(']') {
                let number = item.strip_prefix('[').and_then(|number| number.parse().ok());
                steps.push(PickStep::Item(number.ok_or("an item is a number in [ and ]")?));
            }
        }
        Ok(Place(steps))
    }

    /// Returns the part of a value at the path, if there is one.
    pub(crate) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| step.of(value))
    }

    /// Begins to watch the place of an option.
    pub(crate) fn missing(&self, option: &'static str) -> Missing<'_> {
        Missing { option, place: self, depth: 0, names: Vec::new() }
    }
}

impl PickStep {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            PickStep::Field(name) => value.field(name),
            PickStep::Item(number) => value.get().as_slice()?.get(*number),
        }
    }
}

impl Missing<'_> {
    /// Whether a value lacks the place too; remembers the fields that it has instead.
    pub(crate) fn is_missing_in(&mut self, value: &Value) -> bool {
        let (mut at, mut depth) = (value, 0);
        while let Some(step) = self.place.0.get(depth) {
            let Some(inner) = step.of(at) else { break };
            (at, depth) = (inner, depth + 1);
        }
        if depth == self.place.0.len() {
            return false;
        }
        if depth > self.depth {
            self.depth = depth;
            self.names.clear();
        }
        if depth == self.depth {
            self.add_names_of(at);
        }
        true
    }

    fn add_names_of(&mut self, value: &Value) {
        let mut add = |name: &str| {
            if self.names.len() <= LISTED && !self.names.iter().any(|known| known == name) {
                self.names.push(name.to_owned());
            }
        };
        match value.get() {
            Value::Record(record) => record.iter().for_each(|(name, _)| add(name)),
            Value::Struct(of) => of.fields().iter().for_each(|(name, _)| add(name)),
            Value::Map(map) => map.iter().filter_map(|(key, _)| key.as_str()).for_each(add),
            _ => {}
        }
    }
}

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { option, place, depth, names } = self;
        write!(f, "{option}: no value has `{place}`")?;
        let known = &place.0[..*depth];
        let found = Place(known.to_vec());
        match (names.is_empty(), known.is_empty()) {
            (true, true) => write!(f, "; the values have no fields"),
            (true, false) => write!(f, "; `{found}` has no fields"),
            (false, true) => write!(f, "; the fields are {}", listed(names)),
            (false, false) => write!(f, "; the fields of `{found}` are {}", listed(names)),
        }
    }
}

/// Names as an error lists them.
pub(crate) fn listed(names: &[String]) -> String {
    let mut listed = names[..names.len().min(LISTED)].join(", ");
    if names.len() > LISTED {
        listed += ", ...";
    }
    listed
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PickStep::Field(name) if at == 0 => f.write_str(name)?,
                PickStep::Field(name) => write!(f, ".{name}")?,
                PickStep::Item(number) => write!(f, "[{number}]")?,
            }
        }
        Ok(())
    }
}

impl Condition {
    pub(crate) fn parse(text: &str) -> Result<Condition, &'static str> {
        let (place, value) = text.split_once('=').ok_or("there is no `=` in it")?;
        Ok(Condition { place: Place::parse(place)?, value: value_of(value) })
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn holds(&self, value: &Value) -> bool {
        self.place.of(value).is_some_and(|own| is_same(own.get(), &self.value))
    }
}

/// Numbers of any type are compared as numbers.
fn is_same(own: &Value, given: &Value) -> bool {
    match (own.as_i64(), given.as_i64()) {
        (Some(whole), None) => given.as_f64().is_some_and(|float| is_whole(float, whole)),
        (None, Some(whole)) => own.as_f64().is_some_and(|float| is_whole(float, whole)),
        (Some(own), Some(given)) => own == given,
        (None, None) => match (own.as_f64(), given.as_f64()) {
            (Some(own), Some(given)) => own == given,
            _ => own == given,
        },
    }
}

/// Whether a float is exactly this integer.
fn is_whole(float: f64, whole: i64) -> bool {
    float == whole as f64 && float as i128 == i128::from(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_fields_and_items() {
        let value = value_of(r#"{"a": {"b": [1, {"c": "x"}]}, "1234": 5}"#);
        for (place, expected) in [
            ("a.b[0]", Some("1")),
            ("$.a.b[1].c", Some("\"x\"")),
            ("a.b[2]", None),
            ("a.x", None),
            ("1234", Some("5")),
        ] {
            let place = Place::parse(place).unwrap();
            assert_eq!(place.of(&value), expected.map(value_of).as_ref(), "{place:?}");
        }
        for bad in ["a..b", "a[x]", "a[1", "", "a[-1]"] {
            assert!(Place::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn conditions_compare_numbers_by_value_and_others_exactly() {
        let value = value_of(r#"{"n": 7, "f": 7.5, "t": "7", "z": null}"#);
        let holds = |text| Condition::parse(text).unwrap().holds(&value);
        assert!(holds("n=7") && holds("n=7.0") && holds("f=7.5") && holds("z=null"));
        assert!(!holds("n=8") && !holds("t=7") && holds("t=\"7\"") && !holds("x=1"));
        assert!(Condition::parse("n").is_err());
    }
}
