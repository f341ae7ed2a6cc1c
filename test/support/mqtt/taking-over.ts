/** A broker that takes a client of MQTT 5 and its subscription, and ends the connection because another client has its id. */
import { createServer } from 'node:net'

const CONNECT = 0x10
const SUBSCRIBE = 0x82

export async function startTakingOver(): Promise<{ port: number; connections(): number; close(): void }> {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('data', (packet: Buffer) => {
      if (packet[0] === CONNECT) socket.write(Buffer.from([0x20, 3, 0, 0, 0]))
      // SUBACK with the id of the packet and QoS 1, and DISCONNECT
      if (packet[0] === SUBSCRIBE)
        socket.end(Buffer.from([0x90, 4, packet[2] as number, packet[3] as number, 0, 1, 0xe0, 1, 142]))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    connections: () => connections,
    close: () => void server.close(),
  }
}
