//! Places in values, as they are told on the command line: `address.city`, `tags[0]`.

use holdall::Value;

use crate::cat::value_of;

/// A place in values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Item(usize),
}

/// What a value must have at a place.
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
                steps.push(Step::Field(name.to_owned()));
            } else if items.is_empty() {
                return Err("a name between two dots is missing");
            }
            if !items.is_empty() && !items.ends_with(']') {
                return Err("a ] is missing");
            }
            for item in items.split_terminator(']') {
                let number = item.strip_prefix('[').and_then(|number| number.parse().ok());
                steps.push(Step::Item(number.ok_or("an item is a number in [ and ]")?));
            }
        }
        Ok(Place(steps))
    }

    /// What is there in a value, if something is.
    pub(crate) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Field(name) => field(value.get(), name),
            Step::Item(number) => value.get().as_slice()?.get(*number),
        })
    }
}

/// A field of a record or struct, or what a map has under a string.
fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Map(map) => {
            let entries = map.iter().find(|(key, _)| key.as_str() == Some(name));
            entries.map(|(_, value)| value)
        }
        _ => value.field(name),
    }
}

impl Condition {
    pub(crate) fn parse(text: &str) -> Result<Condition, &'static str> {
        let (place, value) = text.split_once('=').ok_or("there is no `=` in it")?;
        Ok(Condition { place: Place::parse(place)?, value: value_of(value) })
    }

    pub(crate) fn holds(&self, value: &Value) -> bool {
        self.place.of(value).is_some_and(|own| is_same(own.get(), &self.value))
    }
}

/// Numbers of any type are compared as numbers.
fn is_same(own: &Value, told: &Value) -> bool {
    match (own.as_i64(), told.as_i64()) {
        (Some(whole), None) => told.as_f64().is_some_and(|float| is_whole(float, whole)),
        (None, Some(whole)) => own.as_f64().is_some_and(|float| is_whole(float, whole)),
        (Some(own), Some(told)) => own == told,
        (None, None) => match (own.as_f64(), told.as_f64()) {
            (Some(own), Some(told)) => own == told,
            _ => own == told,
        },
    }
}

/// Whether a float is just this whole number.
fn is_whole(float: f64, whole: i64) -> bool {
    float == whole as f64 && float as i128 == i128::from(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_through_fields_and_items() {
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
    fn conditions_compare_numbers_as_numbers_and_all_else_as_it_is() {
        let value = value_of(r#"{"n": 7, "f": 7.5, "t": "7", "z": null}"#);
        let holds = |text| Condition::parse(text).unwrap().holds(&value);
        assert!(holds("n=7") && holds("n=7.0") && holds("f=7.5") && holds("z=null"));
        assert!(!holds("n=8") && !holds("t=7") && holds("t=\"7\"") && !holds("x=1"));
        assert!(Condition::parse("n").is_err());
    }
}
