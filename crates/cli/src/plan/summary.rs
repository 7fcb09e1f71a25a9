//! A plan in a line for each algorithm and direction.

use wirespeed_cipher::{Algorithm, Direction, Route, SIZE_CLASSES};
use wirespeed_plan::{Plan, Row};

use super::constant_time::cost_in_words;
use super::others::{Other, others};
use crate::output::figures;
use crate::output::table::{paragraph, wrap};

/// Where gains and routes begin.
const TITLE: usize = 17;
const GAIN: usize = 14;

/// The whole plan: title, range of gains, routes by size.
pub(crate) fn summary(plan: &Plan) -> String {
    let mut text = String::new();
    let mut left = Vec::new();
    for &algorithm in Algorithm::ALL {
        if plan.routes(algorithm, Direction::Encrypt).is_none() {
            left.push(algorithm.name());
            continue;
        }
        for &direction in algorithm.directions() {
            let rows: Vec<&Row> = plan
                .rows()
                .filter(|row| (row.algorithm, row.direction) == (algorithm, direction))
                .collect();
            let routes: Vec<(usize, Route)> =
                rows.iter().map(|row| (row.size, row.route)).collect();
            text.push_str(&line(&title(algorithm, direction), &gains(&rows), &by_size(&routes)));
        }
    }
    for Other { title, routes, .. } in others(plan, |_| true) {
        text.push_str(&line(&title, "-", &routes));
    }
    if !left.is_empty() {
        text.push_str(&paragraph(&format!("left to this OpenSSL: {}", left.join(" ")), 0, 2));
    }
    text.push_str(&cost_in_words(plan).unwrap_or_default());
    text
}

/// "AES-128-CBC dec", or "AES-128-CTR" alone.
pub(crate) fn title(algorithm: Algorithm, direction: Direction) -> String {
    match algorithm.mode().is_symmetric() {
        true => algorithm.to_string(),
        false => format!("{algorithm} {direction}"),
    }
}

/// One line: title, gains, routes.
pub(crate) fn line(title: &str, gains: &str, routes: &str) -> String {
    // Long titles and gains move what follows, and still end before it.
    let first = format!("{:<TITLE$}{:<GAIN$}", format!("{title} "), format!("{gains} "));
    let parts: Vec<&str> = routes.split_inclusive(", ").map(str::trim_end).collect();
    let routes = wrap(&parts, " ", first.chars().count(), TITLE + GAIN + 2);
    format!("{first}{routes}\n")
}

/// The least and the greatest gain where a route of ours serves: "1.2x to 3.4x".
pub(crate) fn gains(rows: &[&Row]) -> String {
    let ours = rows.iter().filter(|row| row.route != Route::Libcrypto);
    let gains: Vec<f64> = ours.filter_map(|row| row.gain()).collect();
    let [least, most] =
        [gains.iter().copied().reduce(f64::min), gains.iter().copied().reduce(f64::max)];
    match (least.map(figures::times), most.map(figures::times)) {
        (Some(least), Some(most)) if least == most => least,
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "-".to_owned(),
    }
}

/// "vaes256 to 256 B, vaes512 from 512 B": routes and the sizes they serve, smallest first.
pub(crate) fn by_size(routes: &[(usize, Route)]) -> String {
    let runs: Vec<&[(usize, Route)]> = routes.chunk_by(|a, b| a.1 == b.1).collect();
    let last = runs.len().saturating_sub(1);
    let part = |(index, run): (usize, &&[(usize, Route)])| {
        let [first, .., end] = [run[0].0, run[run.len() - 1].0];
        let route = run[0].1;
        match index {
            _ if runs.len() == 1 => route.to_string(),
            0 => format!("{route} to {}", figures::size(end)),
            _ if index == last => format!("{route} from {}", figures::size(first)),
            _ if first == end => format!("{route} at {}", figures::size(first)),
            _ => format!("{route} {} to {}", figures::size(first), figures::size(end)),
        }
    };
    runs.iter().enumerate().map(part).collect::<Vec<_>>().join(", ")
}

/// The same route at every size.
pub(crate) fn everywhere(route: Route) -> Vec<(usize, Route)> {
    SIZE_CLASSES.map(|size| (size, route)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::WIDTH;

    use Route::{AesNi, Libcrypto, Vaes256, Vaes512};

    #[test]
    fn routes_by_size() {
        assert_eq!(by_size(&everywhere(Vaes512)), "vaes512");
        let routes = [
            (16, AesNi),
            (64, Vaes256),
            (256, Vaes256),
            (512, Libcrypto),
            (1024, Vaes512),
            (1420, Vaes512),
        ];
        assert_eq!(
            by_size(&routes),
            "aesni to 16 B, vaes256 64 B to 256 B, libcrypto at 512 B, vaes512 from 1 KiB"
        );
    }

    #[test]
    fn long_lines_are_broken() {
        let routes = "vaes512 to 16 B, vaes256 64 B to 256 B, libcrypto at 512 B, ".repeat(3);
        for (title, gains) in
            [("AES-128-CBC dec", "1.2x to 3.0x"), ("CAMELLIA-128-CBC dec", "10.1x to 22.3x")]
        {
            let text = line(title, gains, routes.trim());
            assert!(text.starts_with(title) && text.contains(&format!(" {gains} ")), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            assert!(text.lines().count() > 2);
        }
    }
}
