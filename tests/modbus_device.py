"""A device of Modbus/TCP, made with pymodbus: `modbus_device.py PORT`.

Device 1 has 200 of each kind from address 0 on; 7 is a second one behind the same gateway.
"""

import sys

from pymodbus.datastore import ModbusDeviceContext, ModbusSequentialDataBlock, ModbusServerContext
from pymodbus.server import StartTcpServer

N = 200


def device(registers: dict[int, int]) -> ModbusDeviceContext:
    """Holding registers as given; input registers count in hundreds, each third coil is on."""
    held = [registers.get(it, it) for it in range(N)]
    return ModbusDeviceContext(
        di=ModbusSequentialDataBlock(1, [it % 2 == 0 for it in range(N)]),
        co=ModbusSequentialDataBlock(1, [it % 3 == 0 for it in range(N)]),
        hr=ModbusSequentialDataBlock(1, held),
        ir=ModbusSequentialDataBlock(1, [100 * it for it in range(N)]),
    )


# 10: -215 tenths of a degree; 20: 3.14159 as a float; 30: 2^32 + 5; 40: 0x01020304; 50: pi as a double.
MAIN = device({
    10: 0xFF29,
    20: 0x4049, 21: 0x0FD0,
    30: 0, 31: 1, 32: 0, 33: 5,
    40: 0x0102, 41: 0x0304,
    50: 0x4009, 51: 0x21FB, 52: 0x5444, 53: 0x2D18,
})

if __name__ == "__main__":
    context = ModbusServerContext(devices={1: MAIN, 7: device({0: 777})}, single=False)
    StartTcpServer(context=context, address=("127.0.0.1", int(sys.argv[1])))
