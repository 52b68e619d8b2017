//! A progress bar while a large input is read, and a spinner while it is converted.

use std::io::{self, Read};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Smaller inputs finish before a bar could be seen.
const MAX_WITHOUT_BAR: u64 = 16 << 20;

const READING: &str = "{spinner} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
const READING_STREAM: &str = "{spinner} {bytes} {bytes_per_sec}";
const WORKING: &str = "{spinner} {bytes} read, {msg} for {elapsed}";

/// A reader that shows its progress.
pub(crate) struct Watched<R> {
    reader: R,
    /// The total size, if known.
    len: Option<u64>,
    read: u64,
    /// What happens to the input after it was read.
    verb: &'static str,
    /// Where to draw, until something is drawn.
    target: Option<ProgressDrawTarget>,
    bar: Option<ProgressBar>,
}

impl<R> Watched<R> {
    /// Without a target nothing is shown.
    pub(crate) fn new(
        reader: R,
        len: Option<u64>,
        verb: &'static str,
        target: Option<ProgressDrawTarget>,
    ) -> Self {
        Watched { reader, len, read: 0, verb, target, bar: None }
    }

    fn advance(&mut self, bytes: u64) {
        self.read += bytes;
        if self.len.unwrap_or(self.read) > MAX_WITHOUT_BAR
            && let Some(target) = self.target.take()
        {
            let bar = ProgressBar::with_draw_target(self.len, target);
            bar.set_style(style(if self.len.is_some() { READING } else { READING_STREAM }));
            self.bar = Some(bar);
        }
        let Some(bar) = &self.bar else { return };
        bar.set_position(self.read);
        if bytes == 0 {
            bar.set_style(style(WORKING));
            bar.set_message(self.verb);
            bar.enable_steady_tick(Duration::from_millis(100));
        }
    }
}

/// The templates are valid, as the test shows.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        if !buffer.is_empty() {
            self.advance(read as u64);
        }
        Ok(read)
    }
}

impl<R> Drop for Watched<R> {
    /// The next output, perhaps an error, gets a line of its own.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal that records its output.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl Paper {
        fn write(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
    }

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.write(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.write("<cleared>")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The output while this many bytes are read.
    fn drawn(bytes: u64, len: Option<u64>) -> String {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        let mut reader = Watched::new(io::repeat(7).take(bytes), len, "packing", Some(target));
        assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), bytes);
        drop(reader);
        paper.0.lock().unwrap().clone()
    }

    #[test]
    fn small_inputs_show_nothing() {
        assert_eq!(drawn(MAX_WITHOUT_BAR, Some(MAX_WITHOUT_BAR)), "");
        assert_eq!(drawn(MAX_WITHOUT_BAR, None), "");
        assert_eq!(drawn(0, None), "");
    }

    #[test]
    fn large_inputs_show_their_progress() {
        let text = drawn(MAX_WITHOUT_BAR + 1, Some(MAX_WITHOUT_BAR + 1));
        assert!(text.contains("/16.00 MiB") && text.contains(" left"), "{text}");
        assert!(text.contains("16.00 MiB read, packing for"), "{text}");
        assert!(text.ends_with("<cleared>"), "{text}");
    }

    #[test]
    fn large_streams_show_the_bytes_read() {
        let text = drawn(2 * MAX_WITHOUT_BAR, None);
        assert!(text.contains(" MiB ") && !text.contains(" left"), "{text}");
        assert!(text.contains("32.00 MiB read, packing for"), "{text}");
    }

    #[test]
    fn templates_are_valid() {
        for template in [READING, READING_STREAM, WORKING] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
