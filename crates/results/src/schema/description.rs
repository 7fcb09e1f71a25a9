//! The documents' fields with what they mean, from the comments of the types: docs/json.md.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Document;
use super::bench::Bench;
use super::bench_hosts::BenchHosts;
use super::compare::Compare;
use super::disk::Disk;
use super::doctor::Doctor;
use super::kernel::Kernel;
use super::padlock::{Padlock, PadlockReport};
use super::plan::{Routes, Tune};
use super::random::Random;
use super::services::Services;
use super::stats::Stats;
use super::survey::Survey;
use super::vpn::Vpn;

/// A document's name, what writes it, and its fields in their order.
#[derive(Clone, Debug)]
pub struct Description {
    /// `wirespeed.bench/1`.
    pub schema: &'static str,
    /// What it is.
    pub about: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it stands: `rows[].size` in a list of objects.
    pub path: String,
    /// What it means.
    pub meaning: String,
}

/// Every document.
pub fn descriptions() -> Vec<Description> {
    vec![
        describe::<Bench>(),
        describe::<Survey>(),
        describe::<Routes>(),
        describe::<Tune>(),
        describe::<Disk>(),
        describe::<Vpn>(),
        describe::<Compare>(),
        describe::<Doctor>(),
        describe::<Services>(),
        describe::<Stats>(),
        describe::<Padlock>(),
        describe::<PadlockReport>(),
        describe::<Random>(),
        describe::<Kernel>(),
        describe::<BenchHosts>(),
    ]
}

fn describe<T: Document + JsonSchema>() -> Description {
    // The schemas of types inside of it stand in their places.
    let settings = SchemaSettings::default().with(|it| it.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut fields = Vec::new();
    collect("", schema.as_value(), &mut fields);
    Description { schema: T::SCHEMA, about: comment(schema.as_value()), fields }
}

/// The fields of an object, of the objects in a list, or of what may be null instead.
fn collect(path: &str, schema: &Value, found: &mut Vec<Field>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        found.push(Field { path: path.clone(), meaning: comment(inner) });
        collect(&path, inner, found);
    }
    if let Some(items) = schema.get("items") {
        collect(&format!("{path}[]"), items, found);
    }
    for either in schema["anyOf"].as_array().into_iter().flatten() {
        collect(path, either, found);
    }
}

/// A comment in one line.
fn comment(schema: &Value) -> String {
    let lines = schema["description"].as_str().unwrap_or_default().lines();
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}
