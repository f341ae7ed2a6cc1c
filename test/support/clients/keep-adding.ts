/**
 * Adds readings until the process is killed, and prints the number of each that is on disk; with `flush`, only sends what
 * an earlier process has left. Arguments: address, sensor, key, folder, first time in milliseconds, first number or `flush`.
 */
import { openSender } from '../../../clients/typescript/groundwave.ts'

const [url = '', sensor = '', key = '', spool = '', startMs, first] = process.argv.slice(2)
const sender = await openSender({
  url,
  sensor,
  key,
  spool,
  intervalMs: 50,
  onRefused: (refused) => process.stderr.write(`${JSON.stringify(refused)}\n`),
})
const readingOf = (n: number) => ({ at: new Date(Number(startMs) + n * 10), values: { a: n / 8, b: n } })
if (first === 'flush') {
  await sender.flush()
  await sender.close()
} else
  for (let n = Number(first); ; n += 5) {
    await sender.add(...Array.from({ length: 5 }, (_, i) => readingOf(n + i)))
    process.stdout.write(`${n + 4}\n`)
  }
