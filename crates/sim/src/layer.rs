//! Layers between a workload and a modelled drive: each is a model itself and holds one.
//!
//! A layer says what it changes, and passes everything else on to the model beneath it ([`Layer`]),
//! as the filters of a network block device server do. [`raid0`] lies over several drives and passes
//! nothing on unchanged, so it is a model of its own.

use base::health::Health;
use base::io::Io;
use base::target::{Info, Tag};
use base::time::Instant;
use base::workload::Span;
use base::zone::Zoned;

use crate::model::{Finished, Model, WriteCaching};

pub mod contents;
pub mod delay;
#[cfg(test)]
pub(crate) mod even;
pub mod file_system;
pub mod host;
pub mod partition;
pub mod raid0;
pub mod rapid;
pub mod stripe;

/// A layer over one model: its defaults are those of the model beneath it. Every layer is a [`Model`].
///
/// A layer that has events of its own says [`Layer::next`] and [`Layer::step`]; one that only looks at
/// what finishes says [`Layer::step`].
pub trait Layer {
    /// What is beneath it.
    type Inner: Model;

    /// The model beneath it.
    fn inner(&self) -> &Self::Inner;

    /// The same, to work with.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    /// As [`Model::info`].
    fn info(&self) -> Info {
        self.inner().info()
    }

    /// As [`Model::hint`].
    fn hint(&mut self, upcoming: &[Io]) {
        self.inner_mut().hint(upcoming);
    }

    /// As [`Model::next_from`].
    fn next_from(&mut self, stream: u32) {
        self.inner_mut().next_from(stream);
    }

    /// As [`Model::start`].
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.inner_mut().start(now, tag, io);
    }

    /// As [`Model::next`].
    #[inline]
    fn next(&self) -> Option<Instant> {
        self.inner().next()
    }

    /// As [`Model::step`].
    fn step(&mut self, done: &mut Vec<Finished>) {
        self.inner_mut().step(done);
    }

    /// As [`Model::advance`]. It steps this layer, so that a layer that changes [`Layer::step`] need
    /// not say it; one that does not change it may pass the whole call on.
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        let mut last = None;
        while done.is_empty()
            && let Some(at) = self.next()
            && at <= until
        {
            self.step(done);
            last = Some(at);
        }
        last
    }

    /// As [`Model::power_cut`].
    fn power_cut(&mut self, at: Instant) {
        self.inner_mut().power_cut(at);
    }

    /// As [`Model::lost`].
    fn lost(&self) -> Vec<Span> {
        self.inner().lost()
    }

    /// As [`Model::at_risk`].
    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        self.inner_mut().at_risk(at, span)
    }

    /// As [`Model::honours_flushes`].
    fn honours_flushes(&self) -> bool {
        self.inner().honours_flushes()
    }

    /// As [`Model::write_caching`].
    fn write_caching(&self) -> WriteCaching {
        self.inner().write_caching()
    }

    /// As [`Model::health`].
    fn health(&self) -> Option<Health> {
        self.inner().health()
    }

    /// As [`Model::zoned`]: only a layer that moves no address says so.
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        None
    }
}

impl<L: Layer> Model for L {
    fn info(&self) -> Info {
        Layer::info(self)
    }

    fn hint(&mut self, upcoming: &[Io]) {
        Layer::hint(self, upcoming);
    }

    fn next_from(&mut self, stream: u32) {
        Layer::next_from(self, stream);
    }

    #[inline]
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        Layer::start(self, now, tag, io);
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        Layer::next(self)
    }

    #[inline]
    fn step(&mut self, done: &mut Vec<Finished>) {
        Layer::step(self, done);
    }

    #[inline]
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        Layer::advance(self, until, done)
    }

    fn power_cut(&mut self, at: Instant) {
        Layer::power_cut(self, at);
    }

    fn lost(&self) -> Vec<Span> {
        Layer::lost(self)
    }

    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        Layer::at_risk(self, at, span)
    }

    fn honours_flushes(&self) -> bool {
        Layer::honours_flushes(self)
    }

    fn write_caching(&self) -> WriteCaching {
        Layer::write_caching(self)
    }

    fn health(&self) -> Option<Health> {
        Layer::health(self)
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        Layer::zoned(self)
    }
}
