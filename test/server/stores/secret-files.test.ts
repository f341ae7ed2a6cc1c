/** Secrets that come from files (src/config/secret-files.ts). */
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../../src/config/config-error.ts'
import { withSecretFiles } from '../../../src/config/secret-files.ts'
import { SECRET_VARIABLES } from '../../../src/config/variables.ts'
import { readConfig } from '../../../src/config.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-secrets-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function secretFile(name: string, content: string): string {
  const path = join(dir, name)
  writeFileSync(path, content, { mode: 0o400 })
  return path
}

function messageOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('the configuration was accepted')
}

test('these variables can contain a secret', () => {
  expect([...SECRET_VARIABLES].sort()).toEqual([
    'CLICKHOUSE_URL',
    'MQTT_FLEET_KEY',
    'MQTT_URL',
    'OIDC_CLIENT_SECRET',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'PORTAL_SECRET',
    'POSTGRES_URL',
    'REDIS_URL',
    'S3_URL',
    'SMTP_URL',
  ])
})

test.each([...SECRET_VARIABLES])('%s_FILE gives the variable its value, without the newline at the end', (name) => {
  const path = secretFile(`value-of-${name}`, `  the value of ${name}\r\n\n`)
  const given = { [`${name}_FILE`]: path, PORT: '1' }
  expect(withSecretFiles(given)).toEqual({ ...given, [name]: `the value of ${name}` })
  expect(withSecretFiles({ [`${name}_FILE`]: '', [name]: 'direct' })[name]).toBe('direct')
})

test('the configuration uses the values of files', () => {
  const url = 'postgres://gw:p%40ss@db.example:5432/gw'
  const config = readConfig({
    POSTGRES_URL_FILE: secretFile('postgres', `${url}\n`),
    REDIS_URL_FILE: secretFile('redis', 'rediss://:word@cache.example:6380\n'),
    CLICKHOUSE_URL_FILE: secretFile('clickhouse', 'https://gw:word@ch.example:8443/gw'),
    S3_URL_FILE: secretFile('s3', 'https://key:word@s3.example/bucket\n'),
    PUBLIC_URL: 'https://gw.example',
    SMTP_URL_FILE: secretFile('smtp', 'smtps://user:word@mail.example:465\n'),
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'groundwave',
    OIDC_CLIENT_SECRET_FILE: secretFile('oidc', 'the secret of the client\n'),
    PORTAL_SECRET_FILE: secretFile('portal', `${'s'.repeat(40)}\n`),
  })
  expect(config).toMatchObject({
    postgresUrl: url,
    redisUrl: 'rediss://:word@cache.example:6380',
    clickhouseUrl: 'https://gw:word@ch.example:8443/gw',
    s3Url: 'https://key:word@s3.example/bucket',
    smtpUrl: 'smtps://user:word@mail.example:465',
    oidc: { clientSecret: 'the secret of the client' },
    portalSecret: 's'.repeat(40),
  })
})

test('a file that cannot be used stops the start, with a message that names the variable and not the secret', () => {
  const missing = join(dir, 'missing')
  expect(messageOf({ POSTGRES_URL_FILE: missing })).toBe(
    `POSTGRES_URL_FILE="${missing}" cannot be read: there is no such file`,
  )
  const empty = secretFile('empty', ' \n')
  expect(messageOf({ REDIS_URL_FILE: empty })).toBe(`REDIS_URL_FILE="${empty}" is an empty file`)
  const folder = join(dir, 'folder')
  mkdirSync(folder)
  expect(messageOf({ S3_URL_FILE: folder })).toBe(`S3_URL_FILE="${folder}" cannot be read: it is a folder`)
  expect(messageOf({ S3_URL_FILE: '/dev/zero' })).toBe('S3_URL_FILE="/dev/zero" cannot be read: it is a device')
  const lines = secretFile('lines', `${'hidden'.repeat(8)}\n${'word'.repeat(8)}\n`)
  expect(messageOf({ PORTAL_SECRET_FILE: lines })).toBe(`PORTAL_SECRET_FILE="${lines}" must contain one line`)
  const large = secretFile('large', 'x'.repeat(70_000))
  expect(messageOf({ PORTAL_SECRET_FILE: large })).toBe(
    `PORTAL_SECRET_FILE="${large}" has 70000 bytes; at most 65536 are allowed`,
  )
  const wrong = secretFile('wrong', 'mysql://gw:hidden@db/gw\n')
  expect(messageOf({ POSTGRES_URL_FILE: wrong })).toBe(
    'POSTGRES_URL must be a URL that starts with postgres:// or postgresql://',
  )
})

test('a variable and its file cannot both be set', () => {
  const path = secretFile('both', 'postgres://gw:hidden@db/gw\n')
  expect(messageOf({ POSTGRES_URL_FILE: path, POSTGRES_URL: 'postgres://gw@other/gw' })).toBe(
    'POSTGRES_URL and POSTGRES_URL_FILE are both set; set only one of them',
  )
})
