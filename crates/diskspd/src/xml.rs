//! DiskSpd's XML profiles: the same as the arguments, with several time spans and several targets.
//!
//! The elements are those of DiskSpd's schema (`diskspd.xsd`). An unknown element is an error, as in DiskSpd, which
//! validates; one without effect here is skipped and named. A profile can also be printed, so that the request is part
//! of the results.

use std::fmt::Write;

use roxmltree::{Document, Node};

use crate::error::DiskSpdError;
use crate::profile::{Cache, Content, Profile, Throttle, TimeSpan, Work, ignored};

/// Maximum number of time spans, and of targets of each.
const MOST: usize = 1_024;

/// Reads a profile; `file` is its name in errors.
///
/// # Errors
/// What is no XML, no profile, or cannot be done here.
pub fn read(file: &str, text: &str) -> Result<Profile, DiskSpdError> {
    let wrong = |what: String| DiskSpdError::Profile {
        file: file.to_owned(),
        what,
    };
    // Declarations of types can name other files, and grow without end: no profile has any.
    let document = Document::parse(text).map_err(|why| wrong(why.to_string()))?;
    let reading = Reading {
        file,
        document: &document,
    };
    let root = document.root_element();
    if root.tag_name().name() != "Profile" {
        return Err(wrong(format!(
            "it begins with <{}>, and a profile with <Profile>",
            root.tag_name().name()
        )));
    }
    let profile = reading.profile(root)?;
    profile.check().map_err(|(option, what)| match option {
        "" => wrong(what),
        option => wrong(format!("{option}: {what}")),
    })?;
    Ok(profile)
}

struct Reading<'a> {
    file: &'a str,
    document: &'a Document<'a>,
}

type Read<T> = Result<T, DiskSpdError>;

impl Reading<'_> {
    fn wrong(&self, node: Node<'_, '_>, what: impl std::fmt::Display) -> DiskSpdError {
        let line = self.document.text_pos_at(node.range().start).row;
        DiskSpdError::Profile {
            file: format!("{}:{line}", self.file),
            what: format!("<{}>: {what}", node.tag_name().name()),
        }
    }

    fn unknown(&self, node: Node<'_, '_>) -> DiskSpdError {
        self.wrong(node, "DiskSpd's profiles have no such element here")
    }

    fn text<'n>(&self, node: Node<'n, '_>) -> &'n str {
        node.text().unwrap_or("").trim()
    }

    fn number<T: std::str::FromStr>(&self, node: Node<'_, '_>) -> Read<T> {
        let text = self.text(node);
        text.parse()
            .map_err(|_| self.wrong(node, format!("'{text}' is no number that fits here")))
    }

    fn size(&self, node: Node<'_, '_>) -> Read<u64> {
        match self.number(node)? {
            bytes if bytes <= i64::MAX as u64 => Ok(bytes),
            _ => Err(self.wrong(node, "it is more than any target has")),
        }
    }

    fn flag(&self, node: Node<'_, '_>) -> Read<bool> {
        match self.text(node) {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(self.wrong(node, format!("'{other}' is neither true nor false"))),
        }
    }

    fn profile(&self, root: Node<'_, '_>) -> Read<Profile> {
        let mut profile = Profile::default();
        for node in root.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "TimeSpans" => {
                    for span in node.children().filter(Node::is_element) {
                        if span.tag_name().name() != "TimeSpan" {
                            return Err(self.unknown(span));
                        }
                        if profile.spans.len() >= MOST {
                            return Err(self.wrong(span, format!("there are {MOST} at most")));
                        }
                        let read = self.span(span, &mut profile)?;
                        profile.spans.push(read);
                    }
                }
                "Verbose" => profile.verbose = self.flag(node)?,
                "ResultFormat" => {
                    profile.as_xml = match self.text(node) {
                        "xml" => true,
                        "text" => false,
                        other => {
                            return Err(
                                self.wrong(node, format!("'{other}' is neither text nor xml"))
                            );
                        }
                    }
                }
                "Progress" => {
                    if self.number::<u32>(node)? > 0 {
                        profile.skip("Progress", "progress is drivelab's own");
                    }
                }
                "ETW" => profile.skip("ETW", "event tracing is Windows'"),
                "PrecreateFiles" => profile.skip(
                    "PrecreateFiles",
                    "a test file is always made before it is used",
                ),
                _ => return Err(self.unknown(node)),
            }
        }
        Ok(profile)
    }

    fn span(&self, of: Node<'_, '_>, profile: &mut Profile) -> Read<TimeSpan> {
        let mut span = TimeSpan::default();
        let mut interval = 1_000;
        let mut counts = false;
        for node in of.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "Targets" => {
                    for target in node.children().filter(Node::is_element) {
                        if target.tag_name().name() != "Target" {
                            return Err(self.unknown(target));
                        }
                        if span.works.len() >= MOST {
                            return Err(self.wrong(target, format!("there are {MOST} at most")));
                        }
                        let work = self.work(target, profile)?;
                        span.works.push(work);
                    }
                }
                "Duration" => span.duration = self.number(node)?,
                "Warmup" => span.warm_up = self.number(node)?,
                "Cooldown" => span.cool_down = self.number(node)?,
                "RandSeed" => span.seed = self.number(node)?,
                "RandomWriteData" => span.fresh_data = self.flag(node)?,
                "ThreadCount" => span.threads = Some(self.number(node)?).filter(|n| *n > 0),
                "RequestCount" => span.requests = Some(self.number(node)?).filter(|n| *n > 0),
                "MeasureLatency" => span.measures_latency = self.flag(node)?,
                "CalculateIopsStdDev" => counts = self.flag(node)?,
                "IoBucketDuration" => interval = self.number::<u32>(node)?.max(1),
                "CompletionRoutines" => span.completion_routines = self.flag(node)?,
                "DisableAffinity" => span.without_affinity = self.flag(node)?,
                "GroupAffinity" | "Affinity" => {
                    profile.skip(
                        "Affinity",
                        "threads are streams of one loop, bound to no processor",
                    );
                }
                _ => return Err(self.unknown(node)),
            }
        }
        span.interval_ms = counts.then_some(interval);
        Ok(span)
    }

    fn work(&self, of: Node<'_, '_>, profile: &mut Profile) -> Read<Work> {
        let mut work = Work::on("");
        for node in of.children().filter(Node::is_element) {
            self.work_element(node, &mut work, profile)?;
        }
        if work.path.is_empty() {
            return Err(self.wrong(of, "it has no <Path>"));
        }
        if work.random_percent > 0 {
            work.stride = work.stride.or(Some(work.block));
        }
        ignored(&mut work, profile);
        Ok(work)
    }

    fn work_element(&self, node: Node<'_, '_>, work: &mut Work, profile: &mut Profile) -> Read<()> {
        match node.tag_name().name() {
            "Path" => self.text(node).clone_into(&mut work.path),
            "BlockSize" => work.block = self.size(node)?,
            "StrideSize" => work.stride = Some(self.size(node)?),
            "InterlockedSequential" => work.interlocked = self.flag(node)?,
            "BaseFileOffset" => work.base = self.size(node)?,
            "RequestCount" => work.requests = self.number::<u32>(node)?.max(1),
            "Random" => {
                work.stride = Some(self.size(node)?);
                if work.random_percent == 0 {
                    work.random_percent = 100;
                }
            }
            "RandomRatio" => work.random_percent = self.percent(node)?,
            "DisableAllCache" if self.flag(node)? => {
                (work.cache, work.write_through) = (Cache::None, true)
            }
            "DisableOSCache" if self.flag(node)? => work.cache = Cache::None,
            "WriteThrough" => work.write_through |= self.flag(node)?,
            "DisableAllCache" | "DisableOSCache" => {}
            "WriteBufferContent" => self.content(node, work)?,
            "BurstSize" => work.burst = self.number(node)?,
            "ThinkTime" => work.think_ms = self.number(node)?,
            "Throughput" => {
                let rate = self.number(node)?;
                let kind = if node.attribute("unit") == Some("IOPS") {
                    Throttle::Iops
                } else {
                    Throttle::BytesPerMs
                };
                work.throttle = (rate > 0).then(|| kind(rate));
            }
            "ThreadsPerFile" => work.threads = self.number::<u32>(node)?.max(1),
            "FileSize" => work.create = Some(self.size(node)?).filter(|bytes| *bytes > 0),
            "MaxFileSize" => work.end = Some(self.size(node)?).filter(|bytes| *bytes > 0),
            "WriteRatio" => work.write_percent = self.percent(node)?,
            "ParallelAsyncIO" => work.parallel = self.flag(node)?,
            "ThreadStride" => work.thread_stride = self.size(node)?,
            "IOPriority" => work.priority = self.number::<u8>(node)?.clamp(1, 3),
            _ => return self.skipped_element(node, profile),
        }
        Ok(())
    }

    /// An element of a target that has no effect here, or is refused.
    fn skipped_element(&self, node: Node<'_, '_>, profile: &mut Profile) -> Read<()> {
        match node.tag_name().name() {
            "DisableLocalCache" | "MemoryMappedIo" => {
                if self.flag(node)? {
                    return Err(self.wrong(
                        node,
                        "it is not done here; DisableOSCache and WriteThrough are",
                    ));
                }
            }
            "FlushType" => profile.skip(
                "FlushType",
                "it goes with MemoryMappedIo, without which DiskSpd does not look at it",
            ),
            "SequentialScan" | "RandomAccess" | "TemporaryFile" => {
                if self.flag(node)? {
                    profile.skip(
                        node.tag_name().name(),
                        "Linux has its own way to read ahead",
                    );
                }
            }
            "UseLargePages" => {
                if self.flag(node)? {
                    profile.skip(
                        "UseLargePages",
                        "large pages make no difference to buffers that are registered once",
                    );
                }
            }
            // What DiskSpd writes for a target without a weight or pools of its own.
            "Weight" if self.number::<u32>(node)? == 1 => {}
            "ThreadTargets" | "Distribution" if !node.children().any(|n| n.is_element()) => {}
            "Weight" | "ThreadTargets" => {
                return Err(self.wrong(
                    node,
                    "pools of threads with weights are not done here: give each target its threads",
                ));
            }
            "Distribution" => {
                return Err(self.wrong(node, "distributions are not done here; `drivelab fio` has random_distribution=zoned_abs"));
            }
            _ => return Err(self.unknown(node)),
        }
        Ok(())
    }

    fn percent(&self, node: Node<'_, '_>) -> Read<u8> {
        match self.number::<u8>(node)? {
            percent @ 0..=100 => Ok(percent),
            _ => Err(self.wrong(node, "it is no share in per cent")),
        }
    }

    fn content(&self, of: Node<'_, '_>, work: &mut Work) -> Read<()> {
        let mut pattern = "sequential";
        let mut size = None;
        for node in of.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "Pattern" => pattern = self.text(node),
                "RandomDataSource" => {
                    for source in node.children().filter(Node::is_element) {
                        match source.tag_name().name() {
                            "SizeInBytes" => size = Some(self.size(source)?),
                            "FilePath" if self.text(source).is_empty() => {}
                            _ => {
                                return Err(
                                    self.wrong(source, "data of a file are not written here")
                                );
                            }
                        }
                    }
                }
                _ => return Err(self.unknown(node)),
            }
        }
        work.content = match (pattern, size) {
            ("sequential", _) => Content::Counting,
            ("zero", _) => Content::Zeros,
            ("random", Some(bytes)) if bytes > 0 => Content::Random(bytes),
            _ => {
                return Err(
                    self.wrong(of, "a pattern is sequential, zero, or random with its size")
                );
            }
        };
        Ok(())
    }
}

/// A text with what means something in XML written so that it does not.
pub(crate) fn escaped(text: &str) -> String {
    let mut all = String::new();
    for letter in text.chars() {
        match letter {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            // A line's end would be read as another one.
            letter if letter.is_control() => {
                let _ = write!(all, "&#{};", u32::from(letter));
            }
            letter => all.push(letter),
        }
    }
    all
}

/// The profile as XML.
pub fn printed(profile: &Profile) -> String {
    let mut text = String::from("<Profile>\n");
    line(&mut text, 2, "Progress", 0);
    line(
        &mut text,
        2,
        "ResultFormat",
        if profile.as_xml { "xml" } else { "text" },
    );
    line(&mut text, 2, "Verbose", profile.verbose);
    text.push_str("  <TimeSpans>\n");
    for span in &profile.spans {
        span_of(&mut text, span);
    }
    text.push_str("  </TimeSpans>\n</Profile>\n");
    text
}

fn line(text: &mut String, indent: usize, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{:indent$}<{name}>{value}</{name}>", "");
}

fn span_of(text: &mut String, span: &TimeSpan) {
    text.push_str("    <TimeSpan>\n");
    line(text, 6, "CompletionRoutines", span.completion_routines);
    line(text, 6, "MeasureLatency", span.measures_latency);
    line(text, 6, "CalculateIopsStdDev", span.interval_ms.is_some());
    line(text, 6, "DisableAffinity", span.without_affinity);
    line(text, 6, "Duration", span.duration);
    line(text, 6, "Warmup", span.warm_up);
    line(text, 6, "Cooldown", span.cool_down);
    line(text, 6, "ThreadCount", span.threads.unwrap_or(0));
    line(text, 6, "RequestCount", span.requests.unwrap_or(0));
    line(
        text,
        6,
        "IoBucketDuration",
        span.interval_ms.unwrap_or(1_000),
    );
    line(text, 6, "RandSeed", span.seed);
    if span.fresh_data {
        line(text, 6, "RandomWriteData", true);
    }
    text.push_str("      <Targets>\n");
    for work in &span.works {
        work_of(text, work);
    }
    text.push_str("      </Targets>\n    </TimeSpan>\n");
}

/// The elements in `WriteBufferContent`.
fn content_of(work: &Work) -> String {
    let random = |size: u64| {
        format!(
            "\n            <Pattern>random</Pattern>\n            <RandomDataSource>\n              <SizeInBytes>{size}</SizeInBytes>\n            </RandomDataSource>\n          "
        )
    };
    let pattern = |name: &str| format!("\n            <Pattern>{name}</Pattern>\n          ");
    match work.content {
        Content::Counting => pattern("sequential"),
        Content::Zeros => pattern("zero"),
        Content::Random(size) => random(size),
    }
}

fn work_of(text: &mut String, work: &Work) {
    text.push_str("        <Target>\n");
    let mut is = |name: &str, value: &dyn std::fmt::Display| line(text, 10, name, value);
    is("Path", &escaped(&work.path));
    is("BlockSize", &work.block);
    is("BaseFileOffset", &work.base);
    is("SequentialScan", &false);
    is("RandomAccess", &false);
    is("TemporaryFile", &false);
    is("UseLargePages", &false);
    match (work.cache, work.write_through) {
        (Cache::None, true) => is("DisableAllCache", &true),
        (Cache::None, false) => is("DisableOSCache", &true),
        (Cache::Software, through) => is("WriteThrough", &through),
    }
    is("WriteBufferContent", &content_of(work));
    is("ParallelAsyncIO", &work.parallel);
    is("FileSize", &work.create.unwrap_or(0));
    if work.think_ms > 0 {
        is("ThinkTime", &work.think_ms);
    }
    if work.burst > 0 {
        is("BurstSize", &work.burst);
    }
    match (work.random_percent, work.interlocked) {
        (0, interlocked) => {
            if let Some(stride) = work.stride {
                is("StrideSize", &stride);
            }
            is("InterlockedSequential", &interlocked);
        }
        (share, _) => {
            is("Random", &work.stride());
            if share < 100 {
                is("RandomRatio", &share);
            }
        }
    }
    is("ThreadStride", &work.thread_stride);
    is("MaxFileSize", &work.end.unwrap_or(0));
    is("RequestCount", &work.requests);
    is("WriteRatio", &work.write_percent);
    match work.throttle {
        Some(Throttle::BytesPerMs(rate)) => is("Throughput", &rate),
        Some(Throttle::Iops(rate)) => {
            text.push_str(&format!(
                "          <Throughput unit=\"IOPS\">{rate}</Throughput>\n"
            ));
        }
        None => is("Throughput", &0),
    }
    line(text, 10, "ThreadsPerFile", work.threads);
    line(text, 10, "IOPriority", work.priority);
    text.push_str("        </Target>\n");
}
