//! Registers and coils of devices that speak Modbus.
//!
//! Over TCP; keys for serial lines are parsed but not supported yet.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use model::key::ItemKey;
use wire::modbus::{self, DataType, Endianness, Function, ModbusRequest, ModbusValue};

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::{Params, invalid};

pub(crate) const KEYS: &[Key] = &[Key::may_block("modbus.get", 8, get)];

const PORT: &str = "502";
const BAUD_RATE: &str = "115200";
/// The longest message of the protocol over TCP.
const ANSWER_BYTES_MAX: usize = 260;
const TIME_OUT: Duration = Duration::from_secs(3);

/// The address of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names say it all")]
pub enum Endpoint {
    Tcp { host: String, port: u16 },
    Rtu { device: String, baud_rate: u32, data_bits: u8, parity: char, stop_bits: u8 },
}

/// The query of `modbus.get`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The address of the device.
    pub endpoint: Endpoint,
    /// The registers or bits to read.
    pub request: ModbusRequest,
    /// Type of the values.
    pub data_type: DataType,
    /// Their order in registers.
    pub order: Endianness,
    /// How many are wanted.
    pub count: u16,
    /// Registers or bits at the start that are read and left out.
    pub offset: u16,
}

impl Query {
    /// Reads the parameters of a key.
    ///
    /// # Errors
    /// Which parameter is wrong: a sentence.
    pub fn parse(key: &ItemKey) -> Result<Self, String> {
        let params = Params::new(key.params.iter().map(|it| it.as_str()).collect());
        if params.len() > 8 {
            return Err("Too many parameters.".to_owned());
        }
        Self::from_params(&params).map_err(Refusal::into_text)
    }

    fn from_params(params: &Params<'_>) -> Result<Self, Refusal> {
        let endpoint = Endpoint::parse(params.required(0)?).ok_or_else(|| invalid(0))?;
        let unit = unit(&endpoint, params.get(1)).ok_or_else(|| invalid(1))?;
        let (function, address) = function_and_address(params)?;
        let count = number(params.get_or(4, "1")).filter(|it| *it > 0).ok_or_else(|| invalid(4))?;
        let data_type = match params.get(5) {
            "" if function.reads_bits() => DataType::Bit,
            "" => DataType::Uint16,
            name => DataType::named(name).ok_or_else(|| invalid(5))?,
        };
        if function.reads_bits() != data_type.is_empty() {
            return Err(invalid(5));
        }
        let order = Endianness::named(params.get_or(6, "be")).ok_or_else(|| invalid(6))?;
        if !order.fits(data_type) {
            return Err(Refusal::from("Unsupported endianness for the specified data type."));
        }
        let offset: u16 = number(params.get_or(7, "0")).ok_or_else(|| invalid(7))?;
        let units = match data_type.len() {
            0 => usize::from(count),
            len => (usize::from(count) * len).div_ceil(2),
        };
        let total = u16::try_from(units + usize::from(offset)).ok();
        let total = total.filter(|it| *it <= function.count_max()).ok_or_else(|| invalid(4))?;
        let request = ModbusRequest { unit, function, address, count: total };
        Ok(Self { endpoint, request, data_type, order, count, offset })
    }

    /// The value of the item from the data of an answer: one value, or several as a JSON array.
    #[must_use]
    pub fn result(&self, data: &[u8]) -> String {
        let (offset, count) = (usize::from(self.offset), usize::from(self.count));
        let values: Vec<ModbusValue> = if self.data_type.is_empty() {
            modbus::bits(data, offset + count).into_iter().skip(offset).collect()
        } else {
            let data = data.get(offset * 2..).unwrap_or_default();
            modbus::values(data, self.data_type, self.order).into_iter().take(count).collect()
        };
        match values.as_slice() {
            [one] if count == 1 => one.to_string(),
            values => {
                let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("[{}]", texts.join(","))
            }
        }
    }
}

impl Endpoint {
    fn parse(text: &str) -> Option<Self> {
        let (protocol, rest) = text.split_once("://")?;
        match protocol {
            "tcp" => {
                let (host, port) = match rest.strip_prefix('[') {
                    Some(inner) => {
                        let (host, port) = inner.split_once(']')?;
                        (host, if port.is_empty() { PORT } else { port.strip_prefix(':')? })
                    }
                    None => rest.split_once(':').unwrap_or((rest, PORT)),
                };
                let port = number(port).filter(|it| *it > 0)?;
                (!host.is_empty()).then(|| Self::Tcp { host: host.to_owned(), port })
            }
            "rtu" => {
                let mut parts = rest.split(':');
                let device = parts.next().filter(|it| !it.is_empty())?;
                let baud_rate =
                    parts.next().unwrap_or(BAUD_RATE).parse().ok().filter(|it| *it > 0)?;
                let (data_bits, parity, stop_bits) = line_params(parts.next().unwrap_or("8n1"))?;
                let device = if device.starts_with('/') {
                    device.to_owned()
                } else {
                    format!("/dev/{device}")
                };
                let is_whole = parts.next().is_none();
                is_whole.then_some(Self::Rtu { device, baud_rate, data_bits, parity, stop_bits })
            }
            _ => None,
        }
    }
}

/// `8n1`
fn line_params(text: &str) -> Option<(u8, char, u8)> {
    match text.as_bytes() {
        [bits @ b'5'..=b'8', parity, stop @ b'1'..=b'2'] => {
            let parity = char::from(parity.to_ascii_uppercase());
            let is_known = matches!(parity, 'N' | 'E' | 'O');
            is_known.then_some((bits - b'0', parity, stop - b'0'))
        }
        _ => None,
    }
}

fn number(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Devices on a line have numbers from 1 on; over a TCP connection 255 is "the device itself".
fn unit(endpoint: &Endpoint, text: &str) -> Option<u8> {
    let (default, allowed) = match endpoint {
        Endpoint::Tcp { .. } => (255, 0..=255),
        Endpoint::Rtu { .. } => (1, 1..=247),
    };
    if text.is_empty() {
        return Some(default);
    }
    number(text).filter(|it| allowed.contains(it)).and_then(|it| u8::try_from(it).ok())
}

/// Without a function the address determines it, as in manuals of devices: 40001 is holding
/// register 0, 10001 input 0.
fn function_and_address(params: &Params<'_>) -> Result<(Function, u16), Refusal> {
    let address = match params.get(3) {
        "" => None,
        text => Some(number(text).ok_or_else(|| invalid(3))?),
    };
    match params.get(2) {
        "" => {
            let address = address.ok_or_else(|| invalid(3))?;
            let (function, first) = match address {
                1..=9_999 => (Function::Coils, 1),
                10_001..=19_999 => (Function::DiscreteInputs, 10_001),
                30_001..=39_999 => (Function::InputRegisters, 30_001),
                40_001..=49_999 => (Function::HoldingRegisters, 40_001),
                _ => return Err(invalid(3)),
            };
            Ok((function, address - first))
        }
        text => {
            let code = number(text).and_then(|it| u8::try_from(it).ok());
            let function = code.and_then(Function::from_code).ok_or_else(|| invalid(2))?;
            Ok((function, address.unwrap_or(0)))
        }
    }
}

fn get(ask: &Ask<'_>) -> Outcome {
    let query = Query::from_params(&ask.params)?;
    let Endpoint::Tcp { host, port } = &query.endpoint else {
        return Err(Refusal::from("Modbus on serial lines is not supported."));
    };
    let data = exchange(host, *port, query.request);
    let data = data.map_err(|it| Refusal::from(format!("Unable to read from the device: {it}")))?;
    Ok(query.result(&data).into())
}

fn exchange(host: &str, port: u16, request: ModbusRequest) -> Result<Vec<u8>, String> {
    let text = |it: std::io::Error| it.to_string();
    let address = (host, port).to_socket_addrs().map_err(text)?.next().ok_or("unknown host")?;
    let mut stream = TcpStream::connect_timeout(&address, TIME_OUT).map_err(text)?;
    stream.set_read_timeout(Some(TIME_OUT)).map_err(text)?;
    stream.set_write_timeout(Some(TIME_OUT)).map_err(text)?;
    // One question per connection: any number will do.
    let transaction = 1;
    stream.write_all(&request.encode_tcp(transaction)).map_err(text)?;
    let (mut buffer, mut len) = ([0; ANSWER_BYTES_MAX], 0);
    loop {
        let answer =
            request.decode_tcp(transaction, &buffer[..len]).map_err(|it| it.to_string())?;
        if let Some(data) = answer {
            return Ok(data.to_vec());
        }
        match stream.read(&mut buffer[len..]).map_err(text)? {
            0 => return Err("connection closed by the device".to_owned()),
            n => len += n,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn parse(key: &str) -> Result<Query, String> {
        Query::parse(&ItemKey::parse(key).expect("a key"))
    }

    #[test]
    fn manual_style_address_determines_the_function() {
        let query = parse("modbus.get[tcp://plc,,,40011,2,float,mbe,1]").expect("good");
        let expected = ModbusRequest {
            unit: 255,
            function: Function::HoldingRegisters,
            address: 10,
            count: 5,
        };
        assert_eq!(query.request, expected);
        let line = parse("modbus.get[rtu:///dev/ttyS0:9600:7e1,3,,00001]").expect("good");
        let device = "/dev/ttyS0".to_owned();
        let endpoint =
            Endpoint::Rtu { device, baud_rate: 9_600, data_bits: 7, parity: 'E', stop_bits: 1 };
        assert_eq!(line.endpoint, endpoint);
        assert_eq!((line.request.function, line.request.address), (Function::Coils, 0));
    }

    #[test]
    fn wrong_parameters_are_named() {
        for (key, error) in [
            ("modbus.get[udp://a,,3,0]", "Invalid first parameter."),
            ("modbus.get[tcp://a,,5,0]", "Invalid third parameter."),
            ("modbus.get[tcp://a,,,0]", "Invalid fourth parameter."),
            ("modbus.get[tcp://a,,3,0,0]", "Invalid fifth parameter."),
            ("modbus.get[tcp://a,,3,0,126]", "Invalid fifth parameter."),
            ("modbus.get[tcp://a,,3,0,1,bit]", "Invalid sixth parameter."),
            ("modbus.get[tcp://a,,3,0,1,int16,x]", "Invalid seventh parameter."),
            ("modbus.get[tcp://a,,3,0,1,int16,be,0,1]", "Too many parameters."),
        ] {
            assert_eq!(parse(key), Err(error.to_owned()), "{key}");
        }
    }

    #[test]
    fn device_is_read_over_tcp() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let device = thread::spawn(move || {
            let (mut stream, _peer) = listener.accept().expect("a connection");
            let mut request = [0; 12];
            stream.read_exact(&mut request).expect("a request");
            stream.write_all(&[0, 1, 0, 0, 0, 7, 255, 3, 4]).expect("sent");
            stream.write_all(&[0, 0, 1, 2]).expect("sent");
            request
        });
        let query = parse(&format!("modbus.get[tcp://127.0.0.1:{port},,3,7,1,uint16,be,1]"));
        let query = query.expect("good");
        let data = exchange("127.0.0.1", port, query.request).expect("an answer");
        assert_eq!(query.result(&data), "258");
        let request = device.join().expect("the device lives");
        assert_eq!(request, [0, 1, 0, 0, 0, 6, 255, 3, 0, 7, 0, 2]);
    }
}
