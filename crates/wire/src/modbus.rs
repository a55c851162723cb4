//! Modbus: requests that read coils, inputs and registers, and the values in their answers.
//!
//! Over TCP a message has a header with a transaction number and a length, on a serial line (RTU) a
//! checksum. Registers are sent with the high byte first; the order of several registers of one
//! value differs between devices: [`Endianness`].

/// The kind of data to read: the function codes of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// 1
    Coils,
    /// 2
    DiscreteInputs,
    /// 3
    HoldingRegisters,
    /// 4
    InputRegisters,
}

impl Function {
    /// The function of a code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Coils,
            2 => Self::DiscreteInputs,
            3 => Self::HoldingRegisters,
            4 => Self::InputRegisters,
            _ => return None,
        })
    }

    /// Its code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Coils => 1,
            Self::DiscreteInputs => 2,
            Self::HoldingRegisters => 3,
            Self::InputRegisters => 4,
        }
    }

    /// Whether it reads single bits instead of registers.
    #[must_use]
    pub fn reads_bits(self) -> bool {
        matches!(self, Self::Coils | Self::DiscreteInputs)
    }

    /// The most that one request may read.
    #[must_use]
    pub fn count_max(self) -> u16 {
        if self.reads_bits() { 2_000 } else { 125 }
    }
}

/// Type of the values in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names say it all")]
pub enum DataType {
    Bit,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float,
    Uint64,
    Double,
}

impl DataType {
    /// The type of a name (`int16`, `double`, …).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bit" => Self::Bit,
            "int8" => Self::Int8,
            "uint8" => Self::Uint8,
            "int16" => Self::Int16,
            "uint16" => Self::Uint16,
            "int32" => Self::Int32,
            "uint32" => Self::Uint32,
            "float" => Self::Float,
            "uint64" => Self::Uint64,
            "double" => Self::Double,
            _ => return None,
        })
    }

    /// Bytes of a value; 0 for bits.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Bit => 0,
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
            Self::Uint64 | Self::Double => 8,
        }
    }

    /// Is it a type of bits?
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The order of a value's bytes: 0x01020304 is sent …
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endianness {
    /// … as 01 02 03 04.
    Big,
    /// … as 04 03 02 01.
    Little,
    /// … as 03 04 01 02: registers in reverse order.
    MidBig,
    /// … as 02 01 04 03: the bytes of each register swapped.
    MidLittle,
}

impl Endianness {
    /// The order of a name: `be`, `le`, `mbe`, `mle`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "be" => Self::Big,
            "le" => Self::Little,
            "mbe" => Self::MidBig,
            "mle" => Self::MidLittle,
            _ => return None,
        })
    }

    /// Whether values of this type may have this order.
    #[must_use]
    pub fn fits(self, kind: DataType) -> bool {
        match self {
            Self::Big => true,
            Self::Little => !kind.is_empty(),
            Self::MidBig | Self::MidLittle => kind.len() > 2,
        }
    }
}

/// A value of a register or several.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "their names say it all")]
pub enum ModbusValue {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// Numbers as Zabbix writes them: floating point with six decimals.
impl std::fmt::Display for ModbusValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Signed(it) => write!(f, "{it}"),
            Self::Unsigned(it) => write!(f, "{it}"),
            Self::Float(it) => write!(f, "{it:.6}"),
        }
    }
}

/// The values in the registers' bytes; incomplete values are left out.
#[must_use]
pub fn values(registers: &[u8], kind: DataType, order: Endianness) -> Vec<ModbusValue> {
    match kind.len() {
        0 => Vec::new(),
        1 => {
            let pairs = registers.chunks(2).flat_map(|pair| {
                let mut pair = pair.to_vec();
                if order == Endianness::Little {
                    pair.reverse();
                }
                pair
            });
            pairs.map(|it| value(&[it], kind)).collect()
        }
        len => registers.chunks_exact(len).map(|it| value(&in_order(it, order), kind)).collect(),
    }
}

/// The bytes of a value with the highest first.
fn in_order(bytes: &[u8], order: Endianness) -> Vec<u8> {
    match order {
        Endianness::Big => bytes.to_vec(),
        Endianness::Little => bytes.iter().rev().copied().collect(),
        Endianness::MidBig => bytes.chunks(2).rev().flatten().copied().collect(),
        Endianness::MidLittle => bytes.chunks(2).flat_map(|it| it.iter().rev()).copied().collect(),
    }
}

fn value(bytes: &[u8], kind: DataType) -> ModbusValue {
    let bits = bytes.iter().fold(0_u64, |bits, it| bits << 8 | u64::from(*it));
    // The sign bit of shorter numbers moves to the top and back.
    let free = 64 - 8 * u32::try_from(kind.len().max(1)).unwrap_or(8);
    let signed = (bits << free).cast_signed() >> free;
    match kind {
        DataType::Int8 | DataType::Int16 | DataType::Int32 => ModbusValue::Signed(signed),
        DataType::Float => {
            ModbusValue::Float(f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(u32::MAX))))
        }
        DataType::Double => ModbusValue::Float(f64::from_bits(bits)),
        _ => ModbusValue::Unsigned(bits),
    }
}

/// `n` single bits, the lowest of each byte first.
#[must_use]
pub fn bits(bytes: &[u8], n: usize) -> Vec<ModbusValue> {
    let all = bytes.iter().flat_map(|byte| (0..8).map(move |at| byte >> at & 1));
    all.take(n).map(|it| ModbusValue::Unsigned(u64::from(it))).collect()
}

/// A request to read `count` bits or registers from `address` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModbusRequest {
    /// The device at the connection.
    pub unit: u8,
    /// The kind of data to read.
    pub function: Function,
    /// The first address.
    pub address: u16,
    /// How much is read.
    pub count: u16,
}

const TCP_HEADER_LEN: usize = 7;
/// Unit, function, and for an error its code.
const RTU_HEAD_LEN: usize = 3;

/// Why bytes are no answer to a request.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
pub enum ModbusError {
    /// The device refuses, with this code.
    #[error("device answers with exception {0}")]
    Exception(u8),
    /// Another transaction, unit, function or length than requested.
    #[error("answer does not belong to the request")]
    Foreign,
    /// Damaged on the line.
    #[error("wrong checksum of the answer")]
    Checksum,
}

impl ModbusRequest {
    fn body(self) -> [u8; 5] {
        let [address_hi, address_lo] = self.address.to_be_bytes();
        let [count_hi, count_lo] = self.count.to_be_bytes();
        [self.function.code(), address_hi, address_lo, count_hi, count_lo]
    }

    /// The bytes for a TCP connection.
    #[must_use]
    pub fn encode_tcp(self, transaction: u16) -> Vec<u8> {
        let [hi, lo] = transaction.to_be_bytes();
        let mut out = vec![hi, lo, 0, 0, 0, 6, self.unit];
        out.extend(self.body());
        out
    }

    /// The bytes for a serial line.
    #[must_use]
    pub fn encode_rtu(self) -> Vec<u8> {
        let mut out = vec![self.unit];
        out.extend(self.body());
        let sum = crc16(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// The data of an answer over TCP; `None`: more bytes are needed.
    ///
    /// # Errors
    /// If it is an exception or belongs to something else.
    pub fn decode_tcp(self, transaction: u16, bytes: &[u8]) -> Result<Option<&[u8]>, ModbusError> {
        let Some((header, rest)) = bytes.split_first_chunk::<TCP_HEADER_LEN>() else {
            return Ok(None);
        };
        let [t_hi, t_lo, p_hi, p_lo, len_hi, len_lo, unit] = *header;
        let len = usize::from(u16::from_be_bytes([len_hi, len_lo]));
        let is_ours = u16::from_be_bytes([t_hi, t_lo]) == transaction && p_hi == 0 && p_lo == 0;
        if !is_ours || unit != self.unit || !(3..=255).contains(&len) {
            return Err(ModbusError::Foreign);
        }
        match rest.get(..len - 1) {
            Some(body) => self.data(body).map(Some),
            None => Ok(None),
        }
    }

    /// The data of an answer from a serial line; `None`: more bytes are needed.
    ///
    /// # Errors
    /// If it is damaged, an exception, or belongs to something else.
    pub fn decode_rtu(self, bytes: &[u8]) -> Result<Option<&[u8]>, ModbusError> {
        let Some(&[unit, function, third]) = bytes.first_chunk::<RTU_HEAD_LEN>() else {
            return Ok(None);
        };
        let body_len = if function & 0x80 == 0 { 2 + usize::from(third) } else { 2 };
        let Some(sum) = bytes.get(1 + body_len..body_len + 3) else { return Ok(None) };
        let message = bytes.get(..=body_len).unwrap_or_default();
        if crc16(message).to_le_bytes() != sum {
            return Err(ModbusError::Checksum);
        }
        if unit != self.unit {
            return Err(ModbusError::Foreign);
        }
        self.data(message.get(1..).unwrap_or_default()).map(Some)
    }

    fn data(self, body: &[u8]) -> Result<&[u8], ModbusError> {
        let code = self.function.code();
        let wanted = usize::from(self.count);
        let wanted = if self.function.reads_bits() { wanted.div_ceil(8) } else { wanted * 2 };
        match body {
            [function, code_of_error, ..] if *function == code | 0x80 => {
                Err(ModbusError::Exception(*code_of_error))
            }
            [function, len, data @ ..] if *function == code => {
                let len = usize::from(*len);
                data.get(..len).filter(|_| len == wanted).ok_or(ModbusError::Foreign)
            }
            _ => Err(ModbusError::Foreign),
        }
    }
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(u16::MAX, |sum, byte| {
        (0..8).fold(
            sum ^ u16::from(*byte),
            |sum, _| {
                if sum & 1 == 1 { sum >> 1 ^ 0xa001 } else { sum >> 1 }
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: ModbusRequest =
        ModbusRequest { unit: 1, function: Function::HoldingRegisters, address: 0x6b, count: 3 };

    #[test]
    fn an_exchange_over_tcp() {
        assert_eq!(REQUEST.encode_tcp(7), [0, 7, 0, 0, 0, 6, 1, 3, 0, 0x6b, 0, 3]);
        let answer = [0, 7, 0, 0, 0, 9, 1, 3, 6, 2, 0x2b, 0, 0, 0, 0x64];
        assert_eq!(REQUEST.decode_tcp(7, &answer), Ok(Some(&answer[9..])));
        for len in 0..answer.len() {
            assert_eq!(REQUEST.decode_tcp(7, &answer[..len]), Ok(None), "{len}");
        }
        assert_eq!(REQUEST.decode_tcp(8, &answer), Err(ModbusError::Foreign));
        let refusal = [0, 7, 0, 0, 0, 3, 1, 0x83, 2];
        assert_eq!(REQUEST.decode_tcp(7, &refusal), Err(ModbusError::Exception(2)));
    }

    #[test]
    fn an_exchange_on_a_line() {
        assert_eq!(REQUEST.encode_rtu(), [1, 3, 0, 0x6b, 0, 3, 0x74, 0x17]);
        let mut answer = vec![1, 3, 6, 2, 0x2b, 0, 0, 0, 0x64];
        let sum = crc16(&answer);
        answer.extend(sum.to_le_bytes());
        assert_eq!(REQUEST.decode_rtu(&answer), Ok(Some(&answer[3..9])));
        assert_eq!(REQUEST.decode_rtu(&answer[..10]), Ok(None));
        answer[4] ^= 1;
        assert_eq!(REQUEST.decode_rtu(&answer), Err(ModbusError::Checksum));
    }

    #[test]
    fn values_lie_in_four_ways() {
        let registers = [1, 2, 3, 4];
        let number = |order| match values(&registers, DataType::Uint32, order).as_slice() {
            [ModbusValue::Unsigned(it)] => *it,
            other => panic!("{other:?}"),
        };
        assert_eq!(number(Endianness::Big), 0x0102_0304);
        assert_eq!(number(Endianness::Little), 0x0403_0201);
        assert_eq!(number(Endianness::MidBig), 0x0304_0102);
        assert_eq!(number(Endianness::MidLittle), 0x0201_0403);
        assert_eq!(
            values(&[0xff, 0], DataType::Int8, Endianness::Little),
            [ModbusValue::Signed(0), ModbusValue::Signed(-1)]
        );
        assert_eq!(bits(&[0b101], 3), [1, 0, 1].map(ModbusValue::Unsigned));
    }
}
