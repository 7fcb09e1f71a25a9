//! `wirespeed install`: puts the module to work for every program, proves it, or leaves no trace.

mod diff;
mod in_root;
mod keep;
pub(crate) mod place;
mod plan;
mod plan_before;
mod travelled;

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use wirespeed_installation::{
    Change, Failure, Original, Place, Trial, advice, make_folders, obstacle, own_module, standing,
    writable,
};
use wirespeed_openssl_conf::{DropIn, Wanted, drop_in, install};
use wirespeed_plan::Plan;

pub(crate) use diff::unified;

use crate::arguments::Switch;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::say;
use keep::Keep;
use place::PlaceArguments;
use plan_before::PlanBefore;
use travelled::Travelled;

const EXAMPLES: &str = "\
Examples:
  wirespeed install --dry-run                 show what would change; touch nothing
  sudo wirespeed install                      measure if need be, show, try, install, try again
  sudo wirespeed install --keep               and measure again after updates
  sudo wirespeed install --constant-time      leave no keys to code that looks up in tables
  sudo wirespeed install --stats              and count what programs do, for wirespeed stats
  sudo wirespeed install --plan FILE          the same with a plan of another machine of this kind
  wirespeed install --root DIR                into an unpacked system, such as a container's
  sudo wirespeed uninstall                    take it all back

The default provider stays active beside ours. Where openssl.cnf keeps it off, nothing is changed
without --activate-default. A FIPS configuration is never changed: Wirespeed is not validated. Every
program of this machine is tried with the new configuration before it is put in place and once more
after; if any fails, all is as before.

Exit status: 0 installed, or nothing to do; 1 a trial failed and nothing is changed; 2 usage or
environment.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InstallArguments {
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Go on where openssl.cnf activates other providers alone, such as base: turn the default provider on
    #[arg(long)]
    activate_default: bool,
    /// A plan of another machine with the same CPU and line of OpenSSL: tried here in seconds instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    plan: Option<PathBuf>,
    /// Give ours all calls for which this OpenSSL's code looks up in tables by keys and data, even where ours is slower,
    /// and say by how much. It stays so whenever the plan is measured again, until it is turned off
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          hide_possible_values = true, conflicts_with = "config")]
    constant_time: Option<Switch>,
    /// Look after every start and update whether the plan fits, and measure again when the machine is idle; wirespeed
    /// uninstall ends it
    #[arg(long, conflicts_with = "config")]
    keep: bool,
    /// Have programs count calls and bytes in /var/lib/wirespeed/stats, a file for each user; it stays so until wirespeed
    /// uninstall
    #[arg(long, conflicts_with_all = ["config", "root"])]
    stats: bool,
    #[command(flatten)]
    place: PlaceArguments,
}

/// Where programs count, if they are to: removed with the package.
const STATS: &str = "/var/lib/wirespeed/stats";

/// Everything that is known before anything is touched.
struct Intention<'a> {
    place: &'a Place,
    module: Module,
    /// openssl.cnf.
    main: Original,
    /// The file to change: openssl.cnf, or one of our own in a folder that it includes.
    configuration: Original,
    /// What that is to hold.
    text: Vec<u8>,
    plan: Option<PathBuf>,
    /// Whether programs are to count.
    counts: bool,
    activates_default: bool,
}

/// The module that openssl.cnf is to name.
struct Module {
    from: PathBuf,
    bytes: Vec<u8>,
    /// Where programs are to find it.
    to: PathBuf,
    /// Whether a package put it where it belongs: then it is the package's, and stays as it is.
    is_packaged: bool,
}

impl Module {
    fn find(place: &Place) -> Result<Self, Fault> {
        let from = own_module().map_err(Fault::usage)?;
        let bytes = fs::read(&from).map_err(|error| unable(&from, &error))?;
        place.suits(&bytes).map_err(Fault::usage)?;
        let packaged = place.packaged(&from);
        let is_packaged = packaged.is_some();
        Ok(Self { from, bytes, to: packaged.unwrap_or_else(|| place.copy()), is_packaged })
    }
}

pub(crate) fn run(arguments: InstallArguments) -> Result<(), Fault> {
    let place = arguments.place.find()?;
    let keep = Keep::asked(&place, arguments.keep)?;
    if place.is_in_root() {
        let InstallArguments { plan, constant_time, activate_default, dry_run, .. } = arguments;
        let plan = in_root::PlanThere::find(&place, plan, constant_time)?;
        return in_root::run(&place, plan, activate_default, &keep, dry_run);
    }
    // A file of one's own gets the machine's plan if there is one, and is not worth a minute.
    let wanted = arguments.constant_time;
    let mut standing = standing(place.is_the_machines);
    if let Some(standing) = &mut standing {
        let there = || plan::lacks(&Plan::read(&standing.file).ok()?, wanted);
        standing.lack = standing.lack.take().or_else(there);
    }
    let travelled = arguments.plan.map(|file| Travelled::read(file, wanted)).transpose()?;
    let lacks = standing.as_ref().is_some_and(|it| it.lack.is_some());
    let measures = place.is_the_machines && (lacks || travelled.is_some());
    let usable = standing.as_ref().filter(|it| it.lack.is_none() || measures);
    let plan = usable.map(|standing| standing.file.clone());
    let (counts, activates_default) = (arguments.stats, arguments.activate_default);
    let intention = Intention::form(&place, plan, counts, activates_default)?;
    let to = &intention.module.to;
    let installed = Original::read(to);
    let same = installed.as_ref().is_ok_and(|it| it.bytes() == Some(&intention.module.bytes));
    let has_folder = !counts || Path::new(STATS).is_dir();
    let done = same && has_folder && intention.configuration.bytes() == Some(&intention.text);
    if done && !measures && keep.is_done() {
        return show("Already installed: nothing to change. Check it: wirespeed doctor\n");
    }
    if arguments.dry_run {
        intention.show(same)?;
        keep.show()?;
        return show(match (measures, travelled) {
            (_, Some(_)) => "\nFirst the plan would be tried, in seconds. Nothing was changed.\n",
            (true, None) => {
                "\nFirst a plan would be measured, in under a minute. Nothing was changed.\n"
            }
            (false, None) => "\nNothing was changed.\n",
        });
    }
    let command = &place.command("install");
    writable(&intention.configuration, command).map_err(Fault::usage)?;
    let copy = match intention.module.is_packaged {
        true => None,
        false => Some(replaceable(installed, to, command).map_err(Fault::usage)?),
    };
    if !done {
        Trial::program().map_err(Fault::usage)?;
    }
    let before = measures.then(PlanBefore::read).transpose()?;
    let interruption = Interruption::watch()?;
    let lack = standing.and_then(|it| it.lack).unwrap_or_default();
    let new_plan = || match (measures, travelled) {
        (false, _) => Ok(()),
        (true, Some(travelled)) => travelled.settle(&interruption),
        (true, None) => measure(&lack, wanted, &interruption),
    };
    let put_to_work = || match done {
        true => Ok(()),
        false => {
            intention.show(same)?;
            if counts {
                make_folder_of_all(Path::new(STATS))
                    .map_err(|error| unable(Path::new(STATS), &error))?;
            }
            intention.carry_out(copy.as_ref(), &interruption)
        }
    };
    let outcome = new_plan().and_then(|()| put_to_work());
    outcome.map_err(|fault| match before {
        Some(before) => before.back(fault),
        None => fault,
    })?;
    match done {
        true if measures => show("\nThe module follows the new plan from now on.\n")?,
        true => show("Already installed.\n")?,
        false => intention.show_end()?,
    }
    keep.turn_on(command)
}

/// Measures a plan.
fn measure(lack: &str, wanted: Option<Switch>, interruption: &Interruption) -> Result<(), Fault> {
    show(&format!("Measuring first, for there is no plan that fits: {lack}\n\n"))?;
    let measured = plan::measure(wanted, interruption);
    // Ctrl-C ends the measuring too; that is no fault of its.
    interruption.check("nothing was changed")?;
    measured
}

/// Makes a folder in which everybody may make files, and none of others' be taken away.
fn make_folder_of_all(folder: &Path) -> io::Result<()> {
    make_folders(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o1777))
}

/// The module that is to be replaced, or that is not there yet.
fn replaceable(read: io::Result<Original>, path: &Path, command: &str) -> Result<Original, String> {
    let original = match read {
        Ok(original) => original,
        Err(_) => {
            // A machine without other modules may lack the folder.
            let folder = path.parent().unwrap_or(Path::new("/"));
            make_folders(folder).map_err(|error| obstacle(folder, &error, command))?;
            Original::read(path).map_err(|error| obstacle(path, &error, command))?
        }
    };
    writable(&original, command)?;
    Ok(original)
}

impl<'a> Intention<'a> {
    fn form(
        place: &'a Place,
        plan: Option<PathBuf>,
        counts: bool,
        activates_default: bool,
    ) -> Result<Self, Fault> {
        let module = Module::find(place)?;
        let file = place.outside(&place.configuration).and_then(|file| Original::read(&file));
        let main = file.map_err(|error| unable(&place.configuration, &error))?;
        let (configuration, text) = (main.clone(), Vec::new());
        let mut intention =
            Self { place, module, main, configuration, text, plan, counts, activates_default };
        match intention.drop_in() {
            Some(drop_in) => {
                let file = intention.place.outside(&drop_in.path);
                let file = file.and_then(|file| Original::read(&file));
                intention.configuration = file.map_err(|error| unable(&drop_in.path, &error))?;
                intention.text = drop_in.bytes;
            }
            None => intention.text = intention.edited(&intention.module.to, None)?,
        }
        Ok(intention)
    }

    /// The same in a file of our own, where openssl.cnf includes a folder for such files.
    fn drop_in(&self) -> Option<DropIn> {
        let (module, activates_default) = (&*self.module.to, self.activates_default);
        let files = self.files(None);
        let wanted = Wanted { module, files: &files, activates_default };
        // What keeps it from being said there is told of openssl.cnf.
        let bytes = self.main.bytes()?;
        drop_in(bytes, &self.place.configuration, self.place.files(), &wanted).ok().flatten()
    }

    /// The keys that name files. A trial counts elsewhere than programs do.
    fn files<'f>(&'f self, stats: Option<&'f Path>) -> Vec<(&'static str, &'f Path)> {
        let plan = self.plan.as_deref().map(|file| ("plan", file));
        let stats = stats.or_else(|| self.counts.then_some(Path::new(STATS)));
        plan.into_iter().chain(stats.map(|file| ("stats", file))).collect()
    }

    /// openssl.cnf with the module at another place, and perhaps with other counters.
    fn edited(&self, module: &Path, stats: Option<&Path>) -> Result<Vec<u8>, Fault> {
        let files = self.files(stats);
        let path = &self.place.configuration;
        let bytes = self.main.bytes().unwrap_or_default();
        let activates_default = self.activates_default;
        let wanted = Wanted { module, files: &files, activates_default };
        let edited = install(bytes, path, self.place.files(), &wanted);
        let refused = |why| Fault::usage(format!("{} stays as it is: {why}", path.display()));
        edited.map_err(refused)
    }

    /// What will change, as text.
    fn show(&self, same_module: bool) -> Result<(), Fault> {
        let before = self.configuration.bytes().unwrap_or_default();
        let mut text = unified(self.configuration.path(), before, &self.text);
        if !same_module {
            let [from, to] = [&self.module.from, &self.module.to].map(|path| path.display());
            text.push_str(&format!("\n{from}\n  is copied to {to}\n"));
        }
        if self.plan.is_none() && !self.place.is_in_root() {
            text.push_str(
                "\nNo plan of this machine: the default priority of routes serves until \
                           wirespeed tune has measured\nand wirespeed install is run again.\n",
            );
        }
        show(&text)
    }

    /// `copy` is where the module is copied to, if it is.
    fn carry_out(&self, copy: Option<&Original>, interruption: &Interruption) -> Result<(), Fault> {
        let scratch = tempfile::tempdir().map_err(|error| unable(Path::new("/tmp"), &error))?;
        let write = |name: &str, bytes: &[u8]| {
            let file = scratch.path().join(name);
            fs::write(&file, bytes).map_err(|error| unable(&file, &error))?;
            Ok::<_, Fault>(file)
        };
        let before = write("before.cnf", self.main.bytes().unwrap_or_default())?;
        let mut change = Change::begin(self.place, &self.configuration, copy);

        show("\nTrying it before it is in place\n")?;
        let staged = change.stage_module(&self.module.bytes).map_err(Fault::usage)?;
        let staged = staged.as_ref().unwrap_or(&self.module.to);
        let stats = scratch.path().join("stats");
        let trial_file = write("openssl.cnf", &self.edited(staged, Some(&stats))?)?;
        let trial = Trial {
            configuration: &trial_file,
            before: &before,
            module: staged,
            stats: Some(&stats),
            has_plan: self.plan.is_some(),
            scratch: scratch.path(),
        };
        let proved = trial
            .run(|| interruption.is_asked())
            .map_err(|why| fault(&why, "nothing was changed"))?;
        show(&proved.iter().map(|line| format!("  {line}\n")).collect::<String>())?;

        change.place(&self.text).map_err(Fault::usage)?;
        // From here on, what is dropped unfinished goes back to what it was.
        let again = Trial {
            configuration: self.main.path(),
            module: copy.map_or(&*self.module.to, Original::path),
            stats: None,
            ..trial
        };
        match again.run(|| interruption.is_asked()) {
            Ok(_) => change.keep(),
            Err(why) => {
                return Err(match change.undo() {
                    Ok(()) => fault(&why, "openssl.cnf and the modules are as before"),
                    Err(left) => Fault::usage(words(&why)).and(left),
                });
            }
        }
        Ok(())
    }

    /// That it is done, and what comes next.
    fn show_end(&self) -> Result<(), Fault> {
        let file = self.configuration.path().display();
        let undo = self.place.command("uninstall");
        show(&format!(
            "\nInstalled, and tried again in place: {file}\n\
             \nPrograms use it when they start: restart daemons, such as sshd and nginx.\
             \nCheck it: wirespeed doctor      Undo: sudo {undo}\n"
        ))
    }
}

fn fault(failure: &Failure, consequence: &str) -> Fault {
    match failure {
        Failure::Program(words) => Fault::NotSo(format!("{words}; {consequence}")),
        Failure::Interrupted => Fault::usage(format!("interrupted: {consequence}")),
    }
}

fn words(failure: &Failure) -> &str {
    match failure {
        Failure::Program(words) => words,
        Failure::Interrupted => "interrupted",
    }
}

fn unable(path: &Path, error: &io::Error) -> Fault {
    Fault::usage(advice(path, error))
}

fn show(text: &str) -> Result<(), Fault> {
    say(text)
}
