/** A TCP proxy before a broker that notes which messages a client of MQTT 5 has acknowledged. */
import { connect, createServer, type Socket } from 'node:net'

export type AckWatch = {
  port: number
  /** Topics and bodies, joined by a space. */
  acknowledged: ReadonlySet<string>
  close(): void
}

export async function watchAcks(brokerPort: number): Promise<AckWatch> {
  const acknowledged = new Set<string>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const broker = connect(brokerPort, '127.0.0.1')
    const underWay = new Map<number, string>()
    const end = (): void => {
      for (const socket of [client, broker]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', end)
    }
    const fromBroker = packetsIn((type, body) => {
      if (type >> 4 === 3) noteMessage(type, body, underWay)
    })
    const fromClient = packetsIn((type, body) => {
      if (type >> 4 === 4) acknowledged.add(underWay.get(body.readUInt16BE(0)) as string)
    })
    broker.on('data', (bytes: Buffer) => {
      // noted before the client can answer
      fromBroker(bytes)
      client.write(bytes)
    })
    client.on('data', (bytes: Buffer) => {
      fromClient(bytes)
      broker.write(bytes)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    acknowledged,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A PUBLISH of QoS 1 (MQTT 5.0, 3.3). */
function noteMessage(type: number, body: Buffer, underWay: Map<number, string>): void {
  if ((type & 6) === 0) return
  const topicEnd = 2 + body.readUInt16BE(0)
  const [properties, start] = variableInteger(body, topicEnd + 2) as [number, number]
  const topic = body.toString('utf8', 2, topicEnd)
  underWay.set(body.readUInt16BE(topicEnd), `${topic} ${body.toString('utf8', start + properties)}`)
}

/** Splits bytes into packets. @param take gets the first byte of a packet, and what comes after its length */
function packetsIn(take: (type: number, body: Buffer) => void): (bytes: Buffer) => void {
  let left = Buffer.alloc(0)
  return (bytes) => {
    left = Buffer.concat([left, bytes])
    for (;;) {
      const length = variableInteger(left, 1)
      if (length === undefined || left.length < length[1] + length[0]) return
      const [size, start] = length
      take(left[0] as number, left.subarray(start, start + size))
      left = left.subarray(start + size)
    }
  }
}

/** A number of up to 4 bytes, and the offset after it; undefined if it is not whole. */
function variableInteger(bytes: Buffer, start: number): [number, number] | undefined {
  let value = 0
  for (let i = 0; i < 4 && start + i < bytes.length; i++) {
    const byte = bytes[start + i] as number
    value += (byte & 127) * 128 ** i
    if (byte < 128) return [value, start + i + 1]
  }
  return undefined
}
