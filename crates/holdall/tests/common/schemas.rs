//! Random valid schemas with all features of the format: inference finds only some of them.

use super::chance::Chance;
use super::varint;

/// The bytes of a schema on its own.
pub fn schema(chance: &mut Chance) -> Vec<u8> {
    let mut writer = Writer { chance, out: Vec::new(), names: 0, mentioned: 0, definitions: 0 };
    writer.definitions = *writer.chance.pick(&[0, 0, 1, 1, 2, 3]);
    writer.ty(0, false);
    // A definition can begin only after it was mentioned.
    let mut begun = 0;
    while begun < writer.mentioned {
        begun += 1;
        let level = if begun == writer.definitions { 1 } else { 0 };
        writer.definition(level);
    }
    let definitions = writer.mentioned as u64;
    [varint(definitions), writer.out].concat()
}

struct Writer<'c> {
    chance: &'c mut Chance,
    out: Vec<u8>,
    names: u64,
    mentioned: usize,
    definitions: usize,
}

/// The state so far, to restore later.
type Before = (usize, u64, usize);

impl Writer<'_> {
    fn number(&mut self, number: usize) {
        self.out.extend(varint(number as u64));
    }

    fn before(&self) -> Before {
        (self.out.len(), self.names, self.mentioned)
    }

    fn go_back(&mut self, before: Before) {
        self.out.truncate(before.0);
        (self.names, self.mentioned) = (before.1, before.2);
    }

    /// A type's own code must not be that of a reference.
    fn definition(&mut self, level: usize) {
        let before = self.before();
        loop {
            self.ty(level, false);
            if ![0x1F, 0x20].contains(&self.out[before.0]) {
                return;
            }
            self.go_back(before);
        }
    }

    /// A new name, or an old one that is not in use here.
    fn name(&mut self, used: &mut Vec<u64>) {
        let old = self.chance.below(self.names as usize + 1) as u64;
        if old < self.names && !used.contains(&old) && self.chance.below(2) == 0 {
            used.push(old);
            return self.number(2 * old as usize + 1);
        }
        let text = format!("n{}", self.names);
        self.number(2 * text.len());
        self.out.extend(text.bytes());
        used.push(self.names);
        self.names += 1;
    }

    fn ty(&mut self, level: usize, unnamed_variant: bool) {
        let scalar =
            [0x02, 0x03, 0x04, 0x06, 0x08, 0x09, 0x0B, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13];
        let leaf = level >= 4 || self.chance.below(3) == 0;
        match (if leaf { 0 } else { 1 + self.chance.below(17) }, unnamed_variant) {
            (0, true) => self.out.push(*self.chance.pick(&scalar)),
            (0 | 1, false) => {
                let code = match self.chance.below(20) {
                    0 => 0x00,
                    1..=3 => 0x01,
                    _ => *self.chance.pick(&scalar),
                };
                self.out.push(code);
            }
            (2, false) => {
                self.out.push(0x15);
                self.ty(level + 1, false);
            }
            (3, _) => {
                let count = self.chance.below(4);
                self.out.push(0x18);
                self.number(count);
                (0..count).for_each(|_| self.ty(level + 1, false));
            }
            (4, _) => {
                self.out.push(0x1B);
                self.ty(level + 1, false);
                self.ty(level + 1, false);
            }
            (5, _) => {
                let count = self.chance.below(4);
                self.out.push(0x1C);
                self.number(2 * count + 1);
                let mut used = Vec::new();
                for _ in 0..count {
                    self.name(&mut used);
                    self.ty(level + 1, false);
                }
            }
            (6, false) => self.unnamed_union(level),
            (7 | 8, _) => {
                if self.chance.below(2) == 0 {
                    self.out.push(0x1A);
                    self.fields(level);
                } else {
                    self.out.push(0x19);
                    self.name(&mut Vec::new());
                    self.fields(level);
                }
            }
            (10, _) => {
                self.out.push(0x17);
                let len = self.chance.below(4);
                self.number(len);
                self.ty(level + 1, false);
            }
            (11 | 12, _) => {
                self.out.push(*self.chance.pick(&[0x1D, 0x1E]));
                self.packable(level + 1);
            }
            (13, _) => self.logical(level),
            (14, _) => {
                self.out.push(0x23);
                self.name(&mut Vec::new());
                self.ty(level + 1, false);
            }
            (15, _) => {
                self.out.push(0x14);
                let len = self.chance.below(4);
                self.number(len);
            }
            (16, _) if self.chance.below(4) == 0 => {
                self.out.extend(*self.chance.pick(&[[0xE0, 0x00], [0xFF, 0x00]]));
            }
            (9, _) if self.definitions > 0 => {
                let known = self.definitions.min(self.mentioned + 1);
                let number = self.chance.below(known);
                self.mentioned = self.mentioned.max(number + 1);
                let code = *self.chance.pick(&[0x1F, 0x20]);
                self.out.push(code);
                self.number(number);
            }
            _ => {
                self.out.push(0x16);
                self.ty(level + 1, false);
            }
        }
    }

    /// A type whose values have a fixed width of one byte or more.
    fn packable(&mut self, level: usize) {
        let leaf = level >= 6 || self.chance.below(2) == 0;
        match if leaf { 0 } else { self.chance.below(6) } {
            1 => {
                self.out.push(0x17);
                let len = 1 + self.chance.below(3);
                self.number(len);
                self.packable(level + 1);
            }
            2 => {
                let count = 1 + self.chance.below(3);
                self.out.push(0x18);
                self.number(count);
                (0..count).for_each(|_| self.packable(level + 1));
            }
            3 => {
                self.out.push(0x19);
                self.name(&mut Vec::new());
                let count = 1 + self.chance.below(3);
                self.number(4 * count);
                let mut used = Vec::new();
                for _ in 0..count {
                    self.name(&mut used);
                    self.packable(level + 1);
                }
            }
            4 => {
                self.out.extend([0x22, 0xE1, 0x00]);
                self.packable(level + 1);
            }
            5 => {
                self.out.push(0x23);
                self.name(&mut Vec::new());
                self.packable(level + 1);
            }
            _ => match self.chance.below(8) {
                0 => self.out.extend([0x14, 0x06]),
                _ => {
                    let codes = [0x02, 0x04, 0x05, 0x08, 0x0B, 0x0D, 0x0E, 0x0F, 0x10, 0x11];
                    self.out.push(*self.chance.pick(&codes));
                }
            },
        }
    }

    fn logical(&mut self, level: usize) {
        self.out.push(0x22);
        match self.chance.below(8) {
            0 => self.out.extend([0x01, 0x00, 0x03]),
            1 => self.out.extend([0x03, 0x04, 0x02, 0x02, 0x18, 0x04, 0x03, 0x0B]),
            2 => self.out.extend([0x05, 0x00, 0x18, 0x06, 0x04, 0x03, 0x03]),
            3 => self.out.extend([0x0F, 0x00, 0x16, 0x02]),
            4 => {
                self.out.extend([0x0E, 0x00, 0x1B]);
                self.ty(level + 2, false);
                self.ty(level + 2, false);
            }
            5 => {
                self.out.extend([0xE0, 0x02, 0x07]);
                self.ty(level + 1, false);
            }
            _ => {
                let kind = *self.chance.pick(&[0x0A, 0x0B, 0x0C]);
                self.out.extend([kind, 0x00, 0x16]);
                self.ty(level + 2, false);
            }
        }
    }

    /// Types that differ, or containers, which may be the same.
    fn unnamed_union(&mut self, level: usize) {
        let count = 2 + self.chance.below(2);
        self.out.push(0x1C);
        self.number(2 * count);
        let mut seen = Vec::new();
        for _ in 0..count {
            let before = self.before();
            loop {
                self.ty(level + 1, true);
                let code = self.out[before.0];
                if code > 0x13 || !seen.contains(&code) {
                    seen.push(code);
                    break;
                }
                self.go_back(before);
            }
        }
    }

    fn fields(&mut self, level: usize) {
        let count = self.chance.below(4);
        let form = self.chance.below(3);
        self.number(4 * count + form);
        let mut used = Vec::new();
        for _ in 0..count {
            self.name(&mut used);
            self.ty(level + 1, false);
        }
        if form == 1 {
            let shapes = 2 + self.chance.below(3);
            self.number(shapes);
            for _ in 0..shapes {
                let mut fields: Vec<usize> = (0..count).collect();
                let len = self.chance.below(count + 1);
                self.number(len);
                for _ in 0..len {
                    let field = self.chance.below(fields.len());
                    let field = fields.remove(field);
                    self.number(field);
                }
            }
        }
    }
}
