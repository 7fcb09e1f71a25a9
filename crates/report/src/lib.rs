//! Results as one HTML file: charts, and every chart as a table too, with nothing fetched from elsewhere.
#![forbid(unsafe_code)]
