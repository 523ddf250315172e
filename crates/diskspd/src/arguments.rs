//! DiskSpd's arguments: one letter and its value in one word, targets last.
//!
//! The order does not matter except that `b` in a size stands for blocks, wherever `-b` is. Options without effect here
//! are named once and skipped; those that would change the result are refused with the reason. The list is that of
//! DiskSpd 2.2.

use crate::error::DiskSpdError;
use crate::profile::{Cache, Content, Profile, Throttle, TimeSpan, Work, ignored};
use crate::{size, xml};

/// What is outside of the arguments.
pub struct Around<'a> {
    /// The text of an XML profile.
    pub file: &'a dyn Fn(&str) -> Result<String, String>,
    /// What `-z` without a number draws.
    pub seed: u32,
}

type Wrong = Result<(), String>;

/// Reads arguments, without the program's name.
///
/// # Errors
/// The first argument that is wrong, or cannot be done here.
pub fn read(arguments: &[String], around: &Around<'_>) -> Result<Profile, DiskSpdError> {
    let is_option = |word: &String| word.starts_with('-') && word.len() > 1;
    let options = arguments.iter().take_while(|word| is_option(word)).count();
    let (options, targets) = arguments.split_at(options);
    if let Some(late) = targets.iter().find(|word| is_option(word)) {
        return Err(DiskSpdError::argument(
            late,
            "options stand before the target",
        ));
    }
    let mut reading = Reading::new(options, around)?;
    for option in options {
        reading
            .option(option)
            .map_err(|what| DiskSpdError::argument(option, what))?;
    }
    let mut profile = reading.profile(options, targets, around)?;
    profile.command = std::iter::once("diskspd")
        .chain(arguments.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ");
    let checked = profile.check();
    checked.map_err(|(option, what)| match option {
        "" => DiskSpdError::Target(what),
        option => DiskSpdError::argument(option, what),
    })?;
    Ok(profile)
}

struct Reading {
    profile: Profile,
    span: TimeSpan,
    /// What all targets have in common.
    work: Work,
    xml: Option<String>,
    /// Times and seed that override those of an XML profile.
    given: [Option<u32>; 4],
    random: Option<u8>,
    is_sequential: bool,
    threads_given: bool,
    cache: Option<Cache>,
    write_through: bool,
    clock_seed: u32,
}

impl Reading {
    fn new(options: &[String], around: &Around<'_>) -> Result<Reading, DiskSpdError> {
        let mut work = Work::on("");
        for option in options {
            if let Some(text) = option.strip_prefix("-b") {
                work.block =
                    size::read(text, 0).map_err(|what| DiskSpdError::argument(option, what))?;
            }
        }
        Ok(Reading {
            profile: Profile::default(),
            span: TimeSpan::default(),
            work,
            xml: None,
            given: [None; 4],
            random: None,
            is_sequential: false,
            threads_given: false,
            cache: None,
            write_through: false,
            clock_seed: around.seed,
        })
    }

    fn option(&mut self, option: &str) -> Wrong {
        let mut letters = option.strip_prefix('-').unwrap_or(option).chars();
        let letter = letters.next().unwrap_or(' ');
        let value = letters.as_str();
        match letter {
            'b' => {}
            'B' => self.work.base = self.bytes(value)?,
            'c' => self.work.create = Some(self.bytes(value)?),
            'C' => self.given[2] = Some(number(value)?),
            'd' => self.given[0] = Some(number(value)?),
            'D' => {
                self.span.interval_ms = Some(if value.is_empty() {
                    1_000
                } else {
                    counted(value)?
                })
            }
            'f' => self.end_or_hints(value)?,
            'F' => self.span.threads = Some(counted(value)?),
            'g' => self.work.throttle = Some(throttle(value)?),
            'h' => self.caching("h")?,
            'i' => self.work.burst = counted(value)?,
            'I' => self.priority(value)?,
            'j' => self.work.think_ms = counted(value)?,
            'L' => self.span.measures_latency = true,
            'o' => self.work.requests = counted(value)?,
            'O' => self.span.requests = Some(counted(value)?),
            'p' => self.work.parallel = true,
            'r' => self.random(value)?,
            'R' => self.form(value)?,
            's' => self.sequential(value)?,
            'S' => self.caching(if value.is_empty() { "u" } else { value })?,
            't' => {
                self.threads_given = true;
                self.work.threads = counted(value)?;
            }
            'T' => self.work.thread_stride = self.bytes(value)?,
            'v' => self.profile.verbose = true,
            'w' => self.work.write_percent = percent(value)?,
            'W' => self.given[1] = Some(number(value)?),
            'X' => self.xml = Some(value.to_owned()),
            'z' => {
                self.given[3] = Some(if value.is_empty() {
                    self.clock_seed
                } else {
                    number(value)?
                })
            }
            'Z' => self.content(value)?,
            _ => return self.skipped_option(letter),
        }
        Ok(())
    }

    /// An option without effect here, or one that is refused.
    fn skipped_option(&mut self, letter: char) -> Wrong {
        self.span.without_affinity |= letter == 'n';
        self.span.completion_routines |= letter == 'x';
        let (option, why) = match letter {
            'a' | 'n' => (
                "-a, -n",
                "threads are streams of one loop, bound to no processor",
            ),
            'e' => (
                "-e",
                "event tracing is Windows'; `drivelab record` writes traces of I/Os",
            ),
            'l' => (
                "-l",
                "large pages make no difference to buffers that are registered once",
            ),
            'P' => ("-P", "progress is drivelab's own"),
            'x' => ("-x", "all requests come back through one ring"),
            'N' => {
                return Err(
                    "it goes with -Sm, memory-mapped I/O, which is not done here".to_owned(),
                );
            }
            'y' => {
                return Err(
                    "events that programs wait for are Windows': start the programs in order"
                        .to_owned(),
                );
            }
            _ => return Err("DiskSpd 2.2 has no such option".to_owned()),
        };
        self.skip(option, why);
        Ok(())
    }

    fn skip(&mut self, option: &str, why: &str) {
        self.profile.skip(option, why);
    }

    fn bytes(&self, text: &str) -> Result<u64, String> {
        size::read(text, self.work.block)
    }

    fn end_or_hints(&mut self, value: &str) -> Wrong {
        if !value.is_empty() && value.chars().all(|hint| "rst".contains(hint)) {
            self.skip(
                "-frst",
                "Linux has its own way to read ahead, where its page cache is used at all",
            );
            return Ok(());
        }
        self.work.end = Some(self.bytes(value)?);
        Ok(())
    }

    fn priority(&mut self, value: &str) -> Wrong {
        self.work.priority = match value {
            "1" => 1,
            "2" => 2,
            "3" => 3,
            _ => return Err("a priority is 1, 2 or 3".to_owned()),
        };
        self.skip("-I", "no other program's I/Os compete with it");
        Ok(())
    }

    fn random(&mut self, value: &str) -> Wrong {
        if value.starts_with('d') {
            return Err("distributions (-rd) are not done here; `drivelab fio` has random_distribution=zoned_abs".to_owned());
        }
        if self.is_sequential {
            return Err(
                "-s asks for sequential I/Os; the alignment of random ones stands behind -r"
                    .to_owned(),
            );
        }
        if let Some(share) = value.strip_prefix('s') {
            let share = percent(share)?;
            if share == 0 {
                return Err("the share of random I/Os is 1 to 100".to_owned());
            }
            if self.random.is_some_and(|percent| percent < 100) {
                return Err("it is given twice".to_owned());
            }
            self.random = Some(share);
            return Ok(());
        }
        if self.work.stride.is_some() {
            return Err("it is given twice".to_owned());
        }
        let align = if value.is_empty() {
            self.work.block
        } else {
            self.bytes(value)?
        };
        if align == 0 {
            return Err("an alignment of 0".to_owned());
        }
        self.work.stride = Some(align);
        self.random = self.random.or(Some(100));
        Ok(())
    }

    fn sequential(&mut self, value: &str) -> Wrong {
        if self.random.is_some() {
            return Err("-r asks for random I/Os".to_owned());
        }
        if self.is_sequential {
            return Err("it is given twice".to_owned());
        }
        self.is_sequential = true;
        let distance = match value.strip_prefix('i') {
            Some(rest) => {
                self.work.interlocked = true;
                rest
            }
            None => value,
        };
        if !distance.is_empty() {
            self.work.stride = Some(self.bytes(distance)?);
        }
        Ok(())
    }

    fn caching(&mut self, letters: &str) -> Wrong {
        for letter in letters.chars() {
            let (cache, through) = match letter {
                'b' => (Some(Cache::Software), false),
                'u' => (Some(Cache::None), false),
                'h' => (Some(Cache::None), true),
                'w' => (None, true),
                'r' => return Err("-Sr is about file systems on other computers: -Sb, -Su, -Sw and -Sh are done here".to_owned()),
                'm' => return Err("memory-mapped I/O is not done here: -Sb, -Su, -Sw and -Sh are".to_owned()),
                _ => return Err("it is one of -Sb, -Su, -Sw, -Sh".to_owned()),
            };
            if (cache.is_some() && self.cache.is_some()) || (through && self.write_through) {
                return Err("it contradicts, or repeats, what was said of caches before".to_owned());
            }
            self.cache = self.cache.or(cache);
            self.write_through |= through;
        }
        Ok(())
    }

    fn form(&mut self, value: &str) -> Wrong {
        let (only, form) = match value.strip_prefix('p') {
            Some(form) => (true, form),
            None => (false, value),
        };
        self.profile.profile_only |= only;
        match form {
            "xml" => self.profile.as_xml = true,
            "text" => self.profile.as_xml = false,
            "" if only => {}
            _ => {
                return Err(
                    "it is -Rtext or -Rxml, -Rptext or -Rpxml for the profile alone".to_owned(),
                );
            }
        }
        Ok(())
    }

    fn content(&mut self, value: &str) -> Wrong {
        match value {
            "" => self.work.content = Content::Zeros,
            "r" => self.span.fresh_data = true,
            value if value.contains(',') => {
                return Err(
                    "data of a file are not written here: -Z, -Zr and -Z<size> are".to_owned(),
                );
            }
            value => {
                let bytes = self.bytes(value)?;
                if bytes == 0 {
                    return Err("a buffer of no bytes".to_owned());
                }
                self.work.content = Content::Random(bytes);
            }
        }
        Ok(())
    }

    fn profile(
        mut self,
        options: &[String],
        targets: &[String],
        around: &Around<'_>,
    ) -> Result<Profile, DiskSpdError> {
        if let Some(path) = self.xml.take() {
            return self.of_xml(&path, options, targets, around);
        }
        self.settle()?;
        let work = |path: &String| Work {
            path: path.clone(),
            ..self.work.clone()
        };
        self.span.works = targets.iter().map(work).collect();
        let mut span = self.span.clone();
        self.over(&mut span);
        self.profile.spans = vec![span];
        Ok(self.profile)
    }

    /// What depends on several options.
    fn settle(&mut self) -> Result<(), DiskSpdError> {
        if self.threads_given && self.span.threads.is_some() {
            return Err(DiskSpdError::argument(
                "-F",
                "it is the number of all threads, and -t that of each target: give one",
            ));
        }
        self.work.random_percent = self.random.unwrap_or(0);
        self.work.cache = self.cache.unwrap_or_default();
        self.work.write_through = self.write_through;
        ignored(&mut self.work, &mut self.profile);
        Ok(())
    }

    /// Times and seed as the arguments have them.
    fn over(&self, span: &mut TimeSpan) {
        let [duration, warm_up, cool_down, seed] = self.given;
        span.duration = duration.unwrap_or(span.duration);
        span.warm_up = warm_up.unwrap_or(span.warm_up);
        span.cool_down = cool_down.unwrap_or(span.cool_down);
        span.seed = seed.unwrap_or(span.seed);
    }

    fn of_xml(
        mut self,
        path: &str,
        options: &[String],
        targets: &[String],
        around: &Around<'_>,
    ) -> Result<Profile, DiskSpdError> {
        let beside = |option: &str| {
            option
                .chars()
                .nth(1)
                .is_some_and(|letter| "XRvzWdC".contains(letter))
        };
        if let Some(other) = options.iter().find(|option| !beside(option)) {
            return Err(DiskSpdError::argument(
                other,
                "beside -X there are -W, -d, -C, -z, -R and -v; the rest is the profile's",
            ));
        }
        let text = (around.file)(path).map_err(|what| DiskSpdError::argument("-X", what))?;
        let mut profile = xml::read(path, &text)?;
        profile.verbose |= self.profile.verbose;
        profile.as_xml |= self.profile.as_xml;
        profile.profile_only = self.profile.profile_only;
        for span in &mut profile.spans {
            self.over(span);
        }
        // `*1` stands for the first target behind the options.
        let works = profile.spans.iter_mut().flat_map(|span| &mut span.works);
        for work in works {
            let number = work
                .path
                .strip_prefix('*')
                .and_then(|n| n.parse::<usize>().ok());
            let target = number.and_then(|n| targets.get(n.checked_sub(1)?));
            if let Some(target) = target {
                work.path.clone_from(target);
            }
        }
        self.profile = profile;
        Ok(self.profile)
    }
}

fn number(text: &str) -> Result<u32, String> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text
            .parse()
            .map_err(|_| format!("'{text}' is no number up to {}", u32::MAX)),
        false => Err(format!("'{text}' is no whole number")),
    }
}

fn counted(text: &str) -> Result<u32, String> {
    match number(text)? {
        0 => Err("it is 1 at least".to_owned()),
        number => Ok(number),
    }
}

fn percent(text: &str) -> Result<u8, String> {
    match number(text)? {
        percent @ 0..=100 => Ok(percent as u8),
        _ => Err(format!("'{text}' is no share in per cent")),
    }
}

fn throttle(text: &str) -> Result<Throttle, String> {
    match text.strip_suffix('i') {
        Some(iops) => Ok(Throttle::Iops(counted(iops)?)),
        None => Ok(Throttle::BytesPerMs(counted(text)?)),
    }
}
