/** The upper bound for readings by MQTT: aedes with its defaults and an empty handler. */
import { createServer } from 'node:net'
import { Aedes } from 'aedes'

const broker = await Aedes.createBroker()
broker.on('publish', () => undefined)
const server = createServer(broker.handle)
server.listen(Number(process.env.MQTT_PORT), '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${process.env.MQTT_PORT}\n`),
)
