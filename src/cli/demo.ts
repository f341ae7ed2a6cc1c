/** `bun run demo`: creates an enterprise with sensors, sends real readings over HTTP and queries them. */
import { SingleBar } from 'cli-progress'
import { MAX_READINGS } from '../errors.ts'
import { CliError, call, defaultConnection, operator } from './client.ts'
import { type DemoSensor, demoSensors } from './demo-data.ts'

type Outcome = { accepted: string[]; duplicates: string[]; refused: { reason: string }[] }
type Tally = { accepted: number; duplicates: number; refused: number }
type Made = { id: string; key: string }

async function send(url: string, { id, key }: Made, sensor: DemoSensor, bar: SingleBar): Promise<Tally> {
  const tally: Tally = { accepted: 0, duplicates: 0, refused: 0 }
  for (let i = 0; i < sensor.readings.length; i += MAX_READINGS) {
    const readings = sensor.readings.slice(i, i + MAX_READINGS)
    const headers = { authorization: `Bearer ${key}` }
    const answer = await call<Outcome>(url, 'POST', `/sensors/${id}/readings`, headers, { readings })
    if (!answer.ok) throw new CliError(`${answer.code}: ${answer.message}`)
    tally.accepted += answer.data.accepted.length
    tally.duplicates += answer.data.duplicates.length
    tally.refused += answer.data.refused.length
    bar.increment(readings.length)
  }
  return tally
}

/** An account that owns the demo's enterprise, to sign in to the portal with. */
async function createAccount(url: string, manage: ReturnType<typeof operator>, enterpriseId: string) {
  // each run makes another enterprise and another account
  const email = `demo-${crypto.randomUUID().slice(0, 6)}@example.org`
  const password = crypto.randomUUID().slice(0, 18)
  const made = await manage<{ path: string }>('POST', `/enterprises/${enterpriseId}/invitations`, {
    email,
    role: 'owner',
  })
  const token = made.path.split('/').at(-1)
  const used = await call(url, 'POST', '/auth/links/use', {}, { token, name: 'Demo', password })
  if (!used.ok) throw new CliError(`${used.code}: ${used.message}`)
  return { email, password }
}

async function main(): Promise<void> {
  const connection = defaultConnection()
  const { url } = connection
  const manage = operator(connection)
  const sensors = demoSensors()
  const enterprise = await manage<{ id: string }>('POST', '/enterprises', { name: 'Demo', tier: 'business' })
  // the readings are several years old
  await manage('PATCH', `/enterprises/${enterprise.id}`, { retentionDays: 18_250 })
  const account = await createAccount(url, manage, enterprise.id)
  const application = await manage<{ publicKey: string; secretKey: string }>(
    'POST',
    `/enterprises/${enterprise.id}/applications`,
    { name: 'Demo', tools: 'all' },
  )
  const total = sensors.reduce((sum, { readings }) => sum + readings.length, 0)
  console.log(`Sending ${total} readings from ${sensors.length} sensors to ${url}`)
  const bar = new SingleBar({ format: '[{bar}] {percentage} % | {value}/{total} readings | {duration_formatted}' })
  const rows: (Tally & { sensor: string; id: string })[] = []
  const startedMs = performance.now()
  bar.start(total, 0)
  for (const sensor of sensors) {
    const { assetName, channels } = sensor
    const made = await manage<Made>('POST', `/enterprises/${enterprise.id}/sensors`, { assetName, channels })
    rows.push({ sensor: assetName, id: made.id, ...(await send(url, made, sensor, bar)) })
  }
  bar.stop()
  console.log(`Done in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.\n`)
  for (const { sensor, id, accepted, duplicates, refused } of rows)
    console.log(`${sensor} (${id})\n  ${accepted} accepted, ${duplicates} duplicates, ${refused} refused`)

  // accepted readings become visible to queries within a second
  await Bun.sleep(1000)
  const first = rows[0] as (typeof rows)[number]
  const path = `/enterprise/v1/assets/sensors/${first.id}/readings?from=2010-07-01T12:00:00-08:00&limit=3`
  const bearer = { authorization: `Bearer ${application.publicKey}:${application.secretKey}` }
  console.log(`\nGET ${path}`)
  const page = await call<{ items: object[] }>(url, 'GET', path, bearer)
  if (!page.ok) throw new CliError(`${page.code}: ${page.message}`)
  for (const item of page.data.items) console.log(`  ${JSON.stringify(item)}`)
  console.log(
    `\nTry a query of your own with the key pair of this demo:\n  curl -H 'Authorization: ${bearer.authorization}' '${url}/enterprise/v1/assets/sensors/${first.id}/latest'`,
  )
  console.log(`\nSign in to the portal at ${url}/portal as ${account.email} with the password ${account.password}`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof CliError ? error.message : ((error as Error).stack ?? error)}\n`)
  process.exit(1)
})
