/** "Connect a device": what each way shows is pasted and run as it is, until the page draws the reading. */
import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { pressTab } from '../../support/browser/browser.ts'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { type Device, expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { chirpstackUplink, newDevEui, thingsStackUplink } from '../../support/lorawan/webhooks.ts'
import { memberAccount } from '../../support/sessions.ts'
import { makeCertificates } from '../../support/stores/certificates.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { eventually } from '../../support/until.ts'

const mqttPort = await freePort()
const {
  instance,
  fleet,
  organization,
  dir,
  openOwn,
  open: openAs,
} = smallFleetPages({}, { MQTT_PORT: String(mqttPort) })

const CHANNELS = [
  { name: "water's level, mean", measurement: 'number' as const, unit: 'm' },
  { name: 'open', measurement: 'boolean' as const },
]

async function open(path: string, device?: Device): Promise<Page> {
  const page = await openOwn(path, device)
  // leaving the page before the key was saved asks first
  page.on('dialog', (dialog) => void dialog.accept())
  return page
}

/** Runs commands as a person would paste them, in an empty folder. */
async function paste(...commands: string[]): Promise<string> {
  const cwd = mkdtempSync(join(dir, 'paste-'))
  const shell = Bun.spawn(['bash', '-c', commands.join('\n')], { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
  expect([stderr, await shell.exited]).toEqual(['', 0])
  return stdout
}

const blocksOf = async (page: Page): Promise<string[]> => {
  await page.locator('.key-box .code pre').first().waitFor()
  return page.locator('.key-box .code pre').allTextContents()
}

/** The fields of another system's form, with their values. */
async function settingsOf(page: Page): Promise<Record<string, string>> {
  await page.locator('.connect-settings dt').first().waitFor()
  const [names, values] = await Promise.all([
    page.locator('.connect-settings dt').allTextContents(),
    page.locator('.connect-settings dd code').allTextContents(),
  ])
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']))
}

/** Waits until the page says that a reading arrived, and has drawn it. */
async function expectDrawn(page: Page, text: RegExp, value: string): Promise<void> {
  await page.locator('.first-reading-here').getByText(text).first().waitFor()
  await page.locator('canvas').first().waitFor()
  // the chart's newest value, which it has only together with the point
  await page.locator('.chart-legend .chart-number').filter({ hasText: value }).first().waitFor()
}

type Reading = { at: string; values: Record<string, number | boolean> }
async function storedOf(id: string): Promise<Reading[]> {
  const { data } = await instance.query<{ items: Reading[] }>(organization, `/sensors/${id}/readings?limit=100`)
  return data.items
}

async function sensorWith(externalId: string): Promise<string> {
  const path = `/enterprises/${fleet.enterpriseId}/sensors?limit=10&q=${encodeURIComponent(externalId)}`
  const { items } = await instance.manage<{ items: { id: string; externalId: string }[] }>('GET', path)
  return items.find((one) => one.externalId === externalId)?.id ?? ''
}

async function makeSensor(name: string): Promise<{ id: string; key: string }> {
  return instance.manage('POST', `/enterprises/${fleet.enterpriseId}/sensors`, { name, channels: CHANNELS })
}

/** Chooses an existing sensor and makes a key for it. */
async function chooseSensor(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: 'Existing sensor' }).click()
  await page.getByRole('searchbox', { name: 'Find a sensor' }).fill(name)
  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Make a key for the device' }).click()
}

async function makeFleetKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create fleet key' }).click()
  const key = (await page.getByTestId('key').textContent()) ?? ''
  expect(key).toMatch(/^svcfl_[\w-]{43}$/)
  return key
}

/** Approves the device that wants to come in, once it is shown. */
async function approve(page: Page, externalId: string): Promise<void> {
  await page.getByText(`The device \u2068${externalId}\u2069 wants to come in.`).waitFor()
  await page.getByRole('button', { name: 'Approve device' }).click()
  await page.getByText('Waiting for the first reading.').waitFor()
}

test('the ways are offered where people begin, and the chosen one is in the address', async () => {
  const page = await open('/sensors')
  await page.getByRole('link', { name: 'Connect a device' }).click()
  await page.getByRole('heading', { name: 'How does the device send?' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: /^The Things Stack/ }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Create fleet key' }).waitFor()
  expect(new URL(page.url()).searchParams.get('by')).toBe('ttn')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('توصيل')
  await page.getByRole('option', { name: /Connect a device/ }).click()
  await page.getByRole('heading', { name: 'How does the device send?' }).waitFor()

  // an enterprise without sensors
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Empty', tier: 'scale' })
  for (const path of ['/', '/sensors']) {
    const empty = await open(path, { enterprise: id })
    await empty.locator('.empty').getByRole('link', { name: 'Connect a device' }).waitFor()
  }
  const member = await openAs(await memberAccount(instance, id, 'member'), '/sensors/connect?by=http')
  await member.getByRole('heading', { name: 'You may not do this' }).waitFor()
}, 300_000)

test('HTTP: the command of a new sensor runs as shown; the key is gone after a reload', async () => {
  const page = await open('/sensors/connect?by=http')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('By HTTP')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('level')
  await page.getByRole('button', { name: 'Create sensor' }).click()
  const key = (await page.getByTestId('key').textContent()) ?? ''
  await page.getByText('Waiting for the first reading.').waitFor()
  await expectAccessible(page)
  const [command = ''] = await blocksOf(page)
  expect(command).toContain(key)
  expect(await paste(command)).toContain('"duplicates":[],"refused":[]')
  await expectDrawn(page, /First reading received/, '21.5')
  await expectAccessible(page)
  expect(page.url()).not.toContain(key)
  const id = new URL(page.url()).searchParams.get('sensor') ?? ''
  expect((await storedOf(id)).map(({ values }) => values)).toEqual([{ level: 21.5 }])
  await page.reload()
  await page.getByText('YOUR_KEY').first().waitFor()
  await page.getByText('Waiting for a reading.').waitFor()
  expect(await page.locator('main').textContent()).not.toContain(key)
}, 300_000)

test('MQTT of a sensor: the command runs as shown', async () => {
  const { id } = await makeSensor('By MQTT')
  const page = await open('/sensors/connect?by=mqtt')
  await chooseSensor(page, 'By MQTT')
  const [command = ''] = await blocksOf(page)
  const settings = await settingsOf(page)
  expect(settings).toMatchObject({ Port: String(mqttPort), 'User name': id, Topic: 'readings', TLS: 'off' })
  await page.getByText('The key travels without encryption.').waitFor()
  await expectAccessible(page)
  await paste(command)
  await expectDrawn(page, /Reading received/, '21.5')
  expect((await storedOf(id)).map(({ values }) => values)).toEqual([{ "water's level, mean": 21.5, open: true }])
}, 300_000)

test('CSV: the file and the command run as shown', async () => {
  const { id } = await makeSensor('By CSV')
  const page = await open('/sensors/connect?by=csv')
  await chooseSensor(page, 'By CSV')
  expect(await paste(...(await blocksOf(page)))).toContain('"duplicates":[],"refused":[]')
  await expectDrawn(page, /Reading received/, '21.5')
  expect((await storedOf(id)).map(({ values }) => values)).toEqual([{ "water's level, mean": 21.5, open: true }])
}, 300_000)

test('Telegraf: points sent with the shown output wait for approval, and are drawn then', async () => {
  const page = await open('/sensors/connect?by=telegraf')
  const key = await makeFleetKey(page)
  const [toml = ''] = await blocksOf(page)
  const { outputs } = Bun.TOML.parse(toml) as {
    outputs: { influxdb_v2: { urls: string[]; token: string; organization: string; bucket: string }[] }
  }
  const [output] = outputs.influxdb_v2
  expect(output).toEqual({ urls: [instance.url()], token: key, organization: '-', bucket: '-' })
  await expectAccessible(page)
  // as Telegraf writes: the disk has a tag that also names sensors by default
  const write = async (atMs: number): Promise<number> => {
    const query = new URLSearchParams({ org: output?.organization ?? '', bucket: output?.bucket ?? '' })
    const response = await fetch(`${output?.urls[0]}/api/v2/write?${query}`, {
      method: 'POST',
      headers: { authorization: `Token ${output?.token}`, 'content-type': 'text/plain; charset=utf-8' },
      body: `cpu,cpu=cpu0,host=web-1 usage_idle=91.5 ${atMs}000000\ndisk,device=sda1,host=web-1 free=12i ${atMs}000000\n`,
    })
    return response.status
  }
  expect(await write(Date.now() - 2_000)).toBe(400)
  await approve(page, 'web-1')
  const atMs = Date.now()
  expect(await write(atMs)).toBe(204)
  await expectDrawn(page, /First reading received/, '91.5')
  expect(await storedOf(await sensorWith('web-1'))).toMatchObject([
    { at: new Date(atMs).toISOString(), values: { 'cpu.cpu0.usage_idle': 91.5, 'disk.sda1.free': 12 } },
  ])
}, 300_000)

for (const [way, titled, uplink, query] of [
  ['ttn', 'Base URL', thingsStackUplink, ''],
  [
    'chirpstack',
    'Event endpoint URL(s)',
    (devEui: string, at: string) => chirpstackUplink(devEui, at, { object: { temperature: 1, luminosity: 0.64 } }),
    '?event=up',
  ],
] as const)
  test(`${way}: an uplink to the shown address with the shown header`, async () => {
    const page = await open(`/sensors/connect?by=${way}`)
    await makeFleetKey(page)
    const settings = await settingsOf(page)
    await expectAccessible(page)
    const devEui = newDevEui()
    const authorization = Object.entries(settings).find(([name]) => name.endsWith('Authorization'))?.[1] ?? ''
    const send = async (at: string): Promise<number> => {
      const response = await fetch(settings[titled] + query, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(uplink(devEui, at)),
      })
      return response.status
    }
    expect(await send(new Date(Date.now() - 120_000).toISOString())).toBe(204)
    await approve(page, devEui)
    const at = new Date().toISOString()
    expect(await send(at)).toBe(200)
    await expectDrawn(page, /First reading received/, '0.64')
    // the values of the documentation of The Things Stack
    expect(await storedOf(await sensorWith(devEui))).toMatchObject([
      { at, values: { temperature: 1, luminosity: 0.64 } },
    ])
  }, 300_000)

test('MQTT of a gateway: devices that the key makes are drawn', async () => {
  const page = await open('/sensors/connect?by=mqtt')
  await pressTab(page, 'A gateway with many devices')
  await page.getByRole('combobox', { name: 'New devices' }).selectOption('on')
  await makeFleetKey(page)
  const [command = ''] = await blocksOf(page)
  await paste(command)
  await page.getByText('Sensors with news since the key was made:').waitFor()
  await page.getByRole('heading', { name: 'device-1' }).waitFor()
  await expectDrawn(page, /Reading received/, '21.5')
  // a sensor of the fleet whose readings were refused before the key was made
  expect(await page.getByRole('heading', { name: 'Roof station' }).count()).toBe(0)
  expect((await storedOf(await sensorWith('device-1'))).map(({ values }) => values)).toEqual([{ temperature: 21.5 }])
}, 300_000)

test('the bridge gets the real address and key, and an unknown device is explained', async () => {
  const page = await open('/sensors/connect?by=bridge')
  await page.getByRole('combobox', { name: 'New devices' }).selectOption('off')
  const key = await makeFleetKey(page)
  const [command = ''] = await blocksOf(page)
  const printed = await paste('bun() { echo "$* $MQTT_URL $MQTT_FLEET_KEY $GROUNDWAVE_URL"; }', command)
  expect(printed).toBe(`run mqtt-bridge mqtt://localhost:1883 ${key} ${instance.url()}\n`)
  const reading = { sensor: 'stranger', at: new Date().toISOString(), values: { a: 1 } }
  await fetch(`${instance.url()}/ingest/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings: [reading] }),
  })
  const refused = page.locator('.first-reading-refused')
  await refused.getByText('stranger').waitFor()
  await refused.getByText('Create a sensor with this external id').waitFor()
  await expectAccessible(page)
}, 300_000)

test('a refused reading is explained while the page waits, and each body offers the channel that it names', async () => {
  const at = new Date().toISOString()
  const bodies: [type: string, body: string, channel: string][] = [
    ['application/json', JSON.stringify({ readings: [{ at, values: { json: 1 } }] }), 'json'],
    ['application/x-ndjson', JSON.stringify({ at, values: { ndjson: 1 } }), 'ndjson'],
    ['application/senml+json', JSON.stringify([{ n: 'senml', v: 1, t: Date.parse(at) / 1000 }]), 'senml'],
    ['text/csv', `at,open,csv\n${at},true,1\n`, 'csv'],
  ]
  const expectExplained = async ([type, body, channel]: (typeof bodies)[number]): Promise<void> => {
    const { id, key } = await makeSensor(`Refused ${channel}`)
    const page = await open(`/sensors/connect?by=http&sensor=${id}`)
    await page.getByText('Waiting for a reading.').waitFor()
    await fetch(`${instance.url()}/sensors/${id}/readings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body,
    })
    await page.getByText('A reading was refused.').waitFor()
    const remedy = page.getByRole('link', { name: `Add the channel \u2068${channel}\u2069` })
    await eventually(async () =>
      expect(await remedy.getAttribute('href')).toBe(`/portal/sensors/${id}?tab=settings&add=${channel}`),
    )
    if (channel === 'csv') await expectAccessible(page)
    await page.close()
  }
  // each page asks every few seconds
  await Promise.all(bodies.map(expectExplained))

  // a line of a host that is known
  const { id } = await instance.manage<{ id: string }>('POST', `/enterprises/${fleet.enterpriseId}/sensors`, {
    name: 'Refused line',
    externalId: 'line-host',
    channels: CHANNELS,
  })
  const { key } = await instance.manage<{ key: string }>('POST', `/enterprises/${fleet.enterpriseId}/fleet-keys`, {
    name: 'Lines',
    channelTags: ['cpu'],
  })
  const response = await fetch(`${instance.url()}/api/v2/write`, {
    method: 'POST',
    headers: { authorization: `Token ${key}` },
    body: `cpu,host=line-host,cpu=cpu0 idle=3 ${Date.parse(at)}000000`,
  })
  expect(response.status).toBe(400)
  const page = await open(`/sensors/${id}?tab=refused`)
  const remedy = page.getByRole('link', { name: 'Add the channel \u2068cpu0.idle\u2069' })
  await remedy.click()
  await page.getByRole('textbox', { name: 'Name of channel 3' }).waitFor()
  await eventually(async () =>
    expect(await page.getByRole('textbox', { name: 'Name of channel 3' }).inputValue()).toBe('cpu0.idle'),
  )
}, 300_000)

test('in Arabic on a phone, each way is complete, accessible, and no wider than the window', async () => {
  const device = { language: 'ar', theme: 'dark', width: 390, height: 844 } as const
  const page = await open('/sensors/connect', device)
  await page.getByRole('heading', { name: 'كيف يرسل الجهاز؟' }).waitFor()
  for (const way of ['http', 'telegraf', 'mqtt', 'ttn', 'chirpstack', 'csv', 'bridge']) {
    await page.goto(`/portal/sensors/connect?by=${way}`)
    await page.getByRole('heading', { name: 'توصيل جهاز' }).waitFor()
    await page.locator('main form').waitFor()
    expect([way, await widthOf(page)]).toEqual([way, 390])
  }
  await page.getByRole('button', { name: 'إنشاء مفتاح أسطول' }).click()
  await page.getByTestId('key').waitFor()
  await page.getByText('لم يُستخدم هذا المفتاح بعد.').waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBe(390)
}, 300_000)

test('with a certificate, the command for MQTT uses TLS; without a listener, the page says what the operator sets', async () => {
  const { good, ca } = makeCertificates(mkdtempSync(join(dir, 'tls-')))
  await instance.kill('SIGTERM')
  await instance.restart({ MQTT_TLS_CERT: good.cert, MQTT_TLS_KEY: good.key })
  const { id } = await makeSensor('By TLS')
  const page = await open(`/sensors/connect?by=mqtt&sensor=${id}`)
  await page.getByRole('button', { name: 'Make a key for the device' }).click()
  const [command = ''] = await blocksOf(page)
  expect(await settingsOf(page)).toMatchObject({ TLS: 'on' })
  expect(await page.getByText('The key travels without encryption.').count()).toBe(0)
  // the certificates that the system trusts
  await paste(`export SSL_CERT_FILE='${ca}'`, command)
  await expectDrawn(page, /Reading received/, '21.5')

  await instance.kill('SIGTERM')
  await instance.restart({ MQTT_PORT: '0' })
  await page.goto(`${instance.url()}/portal/sensors/connect?by=mqtt`)
  await page.getByText('The operator sets MQTT_PORT and starts the server again').waitFor()
  await expectAccessible(page)
}, 300_000)
