/** TLS to every store: certificates of a test CA are accepted; wrong ones end the start with a reason and no password. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, startServer, stopServer } from '../../support/processes.ts'
import { outputOf } from '../../support/program.ts'
import { batch, createInstance, type Envelope, outcomeOf } from '../../support/server/instance.ts'
import { startBucket } from '../../support/stores/bucket.ts'
import {
  type Certificate,
  type Certificates,
  makeCertificates,
  startTlsFront,
} from '../../support/stores/certificates.ts'
import { startPostgres } from '../../support/stores/postgres.ts'
import { startTlsCluster } from '../../support/stores/redis-nodes.ts'
import { until } from '../../support/until.ts'

const PASSWORD = 'very-secret'
type Urls = { POSTGRES_URL: string; REDIS_URL: string; CLICKHOUSE_URL: string; S3_URL: string }

const home = mkdtempSync(join(tmpdir(), 'groundwave-tls-'))
const closing: (() => unknown)[] = []
let certificates: Certificates
let targets: { clickhouse: number; bucket: string }
let good: Urls

/** Moves a URL to the port of a server that speaks TLS. */
function at(url: string, port: number): string {
  const moved = new URL(url)
  moved.protocol = 'https:'
  moved.port = String(port)
  return moved.href
}

/** PostgreSQL and Redis speak TLS themselves, ClickHouse and S3 behind a front. */
async function urlsWith(certificate: Certificate): Promise<Urls> {
  const { cert, key } = certificate
  const settings = ['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`]
  const [postgres, cluster, clickhouse, bucket] = await Promise.all([
    startPostgres(settings),
    startTlsCluster(certificate, PASSWORD),
    startTlsFront(certificate, targets.clickhouse),
    startTlsFront(certificate, Number(new URL(targets.bucket).port)),
  ])
  closing.push(postgres.remove, cluster.remove, clickhouse.close, bucket.close)
  return {
    POSTGRES_URL: `${postgres.url}?sslmode=verify-full`,
    REDIS_URL: cluster.url,
    CLICKHOUSE_URL: `https://gw:${PASSWORD}@127.0.0.1:${clickhouse.port}/default`,
    S3_URL: at(targets.bucket, bucket.port),
  }
}

beforeAll(async () => {
  chmodSync(home, 0o755)
  certificates = makeCertificates(home)
  // PostgreSQL refuses keys that others may read, and runs as a user
  if (process.getuid?.() === 0)
    for (const { key } of Object.values(certificates).filter((one) => typeof one !== 'string'))
      outputOf('chown', ['postgres:postgres', key])
  const folder = join(home, 'bridge')
  mkdirSync(folder)
  const bridge = await startServer(
    ['test/support/stores/clickhouse-bridge.ts', folder, '0', `gw:${PASSWORD}`],
    {},
    join(home, 'bridge.log'),
  )
  const bucket = await startBucket(join(home, 'bucket'))
  closing.push(
    () => stopServer(bridge, 'SIGKILL'),
    () => bucket.kill(),
  )
  targets = { clickhouse: bridge.port, bucket: bucket.url }
  good = await urlsWith(certificates.good)
}, 120_000)
afterAll(async () => {
  for (const close of closing.reverse()) await close()
  rmSync(home, { recursive: true, force: true })
}, 120_000)

test('certificates of the CA in NODE_EXTRA_CA_CERTS are accepted by every store', async () => {
  const instance = await createInstance({ ...good, NODE_EXTRA_CA_CERTS: certificates.ca })
  try {
    const organization = await instance.organization()
    const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
    expect((await outcomeOf(await instance.send(sensor, batch(5)))).accepted).toHaveLength(5)
    await until(async () => {
      const ready = (await (await fetch(`${instance.url()}/health/ready`)).json()) as Envelope
      return ready.ok
    }, 'every part to be ready')
  } finally {
    await instance.remove()
  }
}, 120_000)

/** Starts a server that must not start, and returns its message. */
async function refusal(urls: Urls, ca: string | undefined): Promise<string> {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...urls,
      PORT: '0',
      DATA_DIR: mkdtempSync(join(home, 'refused-')),
      NODE_EXTRA_CA_CERTS: ca,
    },
    stderr: 'pipe',
    stdout: 'pipe',
  })
  const [text, output, code] = await Promise.all([
    new Response(child.stderr).text(),
    new Response(child.stdout).text(),
    child.exited,
  ])
  expect(code).toBe(1)
  for (const secret of [PASSWORD, ':secret@', 'S3RVER']) expect(text + output).not.toContain(secret)
  return text
}

const CASES = [
  ['expired', "the server's certificate has expired (CERT_HAS_EXPIRED)"],
  [
    'otherName',
    "the server's certificate is for another host name than the one in the URL (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  ['foreign', 'NODE_EXTRA_CA_CERTS'],
] as const

for (const [kind, reason] of CASES)
  test(`a certificate that is ${kind} is refused by every store, with a reason and without a password`, async () => {
    const bad = await urlsWith(certificates[kind])
    for (const name of Object.keys(bad) as (keyof Urls)[]) {
      const text = await refusal({ ...good, [name]: bad[name] }, certificates.ca)
      expect(text).toStartWith(`${name}: `)
      expect(text).toContain(reason)
    }
  }, 180_000)
