//! Rows as CSV (RFC 4180), from the same fields that JSON has.

use serde::Serialize;
use serde_json::{Map, Value};

/// A field of the rows, by its name in JSON, and how it is written.
#[derive(Clone, Copy, Debug)]
pub struct Column(pub &'static str, pub Format);

/// How a value is written; null is nothing.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// As it is.
    Plain,
    /// A number with so many decimals.
    Decimals(usize),
    /// A text that may hold commas.
    Quoted,
}

/// A line of names, then one for each row.
///
/// # Errors
/// If a row is no JSON object.
pub fn csv(columns: &[Column], rows: &[impl Serialize]) -> serde_json::Result<String> {
    let names: Vec<&str> = columns.iter().map(|Column(name, _)| *name).collect();
    let mut text = names.join(",") + "\n";
    for row in rows {
        let fields: Map<String, Value> = serde_json::from_value(serde_json::to_value(row)?)?;
        let cell = |Column(name, format): &Column| {
            fields.get(*name).map_or(String::new(), |value| format.cell(value))
        };
        text.push_str(&columns.iter().map(cell).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    Ok(text)
}

impl Format {
    fn cell(self, value: &Value) -> String {
        match (self, value) {
            (_, Value::Null) => String::new(),
            (Self::Decimals(count), value) => {
                value.as_f64().map_or(String::new(), |it| format!("{it:.count$}"))
            }
            (Self::Quoted, Value::String(text)) => format!("\"{}\"", text.replace('"', "\"\"")),
            (_, Value::String(text)) => text.clone(),
            (_, value) => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::bench::Row;

    fn row() -> Row {
        Row {
            algorithm: "AES-128-GCM".to_owned(),
            direction: "enc".to_owned(),
            usage: "message".to_owned(),
            size: 1420,
            route: "kernel".to_owned(),
            api_path: "direct".to_owned(),
            threads: 1,
            bytes_per_second: 9.94e9,
            median_ns: Some(142.9),
            mad_ns: Some(0.5),
            runs: Some(50),
            cpu_ns: Some(143.2),
            limit_share: Some(0.45),
            driver: Some("ccm_base(ctr,cbcmac)".to_owned()),
            lanes: Some(1),
            system_calls: Some(2.0),
            cpu_s_per_gib: Some(0.11),
            without: None,
            openssl: None,
        }
    }

    /// Spreadsheets of old read it: the names, their order, the decimals and the quotes stay.
    #[test]
    fn the_lines_are_as_they_always_were() {
        let rows = [row(), Row { driver: None, limit_share: None, system_calls: None, ..row() }];
        let expected = "\
algorithm,direction,use,size,route,door,threads,bytes_per_second,median_ns,mad_ns,runs,cpu_ns,limit_share,\
driver,lanes,system_calls,cpu_s_per_gib,without,openssl
AES-128-GCM,enc,message,1420,kernel,direct,1,9940000000,142.90,0.50,50,143.20,0.4500,\
\"ccm_base(ctr,cbcmac)\",1,2.0000,0.1100,,
AES-128-GCM,enc,message,1420,kernel,direct,1,9940000000,142.90,0.50,50,143.20,,,1,,0.1100,,
";
        assert_eq!(csv(Row::COLUMNS, &rows).expect("CSV"), expected);
    }

    #[test]
    fn every_field_is_a_column_in_its_place() {
        let json = serde_json::to_string(&row()).expect("JSON");
        let mut rest = json.as_str();
        for Column(name, _) in Row::COLUMNS {
            let (_, after) = rest.split_once(&format!("\"{name}\":")).expect(name);
            rest = after;
        }
        let fields: Map<String, Value> = serde_json::from_str(&json).expect("an object");
        assert_eq!(fields.len(), Row::COLUMNS.len());
    }
}
