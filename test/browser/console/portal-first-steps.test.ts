/**
 * The first steps of a person who has just started a server: first operator, enterprise, invitation, sensor, key, the
 * shown command, the chart. In Chromium, in both languages; the command is run in a shell as it is shown.
 */

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ar } from '../../../src/portal/text/ar.ts'
import { en } from '../../../src/portal/text/en.ts'
import { buildPortal } from '../../../src/setup/build-portal.ts'
import { sharedBrowser, visitor } from '../../support/browser/browser.ts'
import { firstOperatorToken } from '../../support/browser/browser-session.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { createInstance } from '../../support/server/instance.ts'

const PASSWORD = 'correct horse battery'
const TEXTS = { en, ar }

/** Runs a command as a person would paste it, in an empty folder. */
async function paste(command: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'groundwave-paste-'))
  try {
    const shell = Bun.spawn(['sh', '-c', command], { cwd, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
    return stdout + stderr
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

for (const language of sampleOf(['en', 'ar'] as const, 1)) {
  const text = TEXTS[language]

  test(`from the printed link to a chart (${language})`, async () => {
    await buildPortal()
    const instance = await createInstance()
    const visit = async () => (await visitor(await sharedBrowser(), instance.url(), { language })).newPage()

    // the first operator makes an account and an enterprise
    const operator = await visit()
    const pageErrors: string[] = []
    operator.on('pageerror', (error) => pageErrors.push(error.message))
    await operator.goto(`/portal/welcome/${firstOperatorToken(instance)}`)
    await operator.getByLabel(text.accounts.signIn.email).fill('operator@example.org')
    await operator.getByLabel(text.accounts.welcome.name).fill('Operator')
    await operator.getByLabel(text.accounts.welcome.newPassword, { exact: true }).fill(PASSWORD)
    await operator.getByRole('button', { name: text.accounts.welcome.create }).click()
    await operator.getByRole('button', { name: text.overview.createEnterprise }).click()
    await operator.getByLabel(text.overview.enterpriseName).fill('Harbour <b>works</b>')
    await operator.getByRole('dialog').getByRole('button', { name: text.overview.createEnterprise }).dblclick()
    await operator.getByRole('heading', { name: text.overview.first }).waitFor()
    await operator.locator('.top-enterprise').getByText('Harbour <b>works</b>').waitFor()
    await expectAccessible(operator)
    const { items } = await instance.manage<{ items: { id: string; name: string }[] }>('GET', '/enterprises')
    // pressed twice, created once; the name is text
    expect(items.map(({ name }) => name)).toEqual(['Harbour <b>works</b>'])

    // an invited person creates a sensor
    const { path } = await instance.manage<{ path: string }>('POST', `/enterprises/${items[0]?.id}/invitations`, {
      email: 'admin@example.org',
      role: 'admin',
    })
    const page = await visit()
    page.on('pageerror', (error) => pageErrors.push(error.message))
    await page.goto(path)
    await page.getByLabel(text.accounts.welcome.name).fill('Admin')
    await page.getByLabel(text.accounts.welcome.newPassword, { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: text.accounts.welcome.create }).click()
    await page.getByRole('link', { name: text.overview.createSensor }).click()
    await page.getByLabel(text.sensorForm.name, { exact: true }).first().fill('Pump 1')
    await page.getByLabel(text.sensorForm.channelNameOf.replace('{number}', '1')).fill('level')
    await page.getByRole('button', { name: text.overview.createSensor }).click()

    // the shown command sends a reading
    await page.getByTestId('key').waitFor()
    await expectAccessible(page)
    const key = (await page.getByTestId('key').textContent())?.trim()
    expect(key).toMatch(/^svcsn_[\w-]{43}$/)
    const command = (await page.locator('.key-box pre').textContent()) ?? ''
    expect(await paste(command)).toContain('"duplicates":[],"refused":[]')
    const chart = page.getByRole('link', { name: text.sensorForm.openChart })
    await chart.waitFor()
    await page.getByRole('button', { name: text.frame.keySaved }).click()
    await chart
      .or(page.getByRole('link', { name: text.sensorForm.openSensor }))
      .first()
      .click()
    await page.getByRole('heading', { name: 'Pump 1' }).waitFor()
    await page.locator('canvas').first().waitFor()
    await expectAccessible(page)

    // the list shows it as sending, and finds it by name
    await page.goto('/portal/sensors?q=pump')
    await page.getByRole('link', { name: 'Pump 1' }).waitFor()
    await page.getByText(text.frame.states.sending, { exact: true }).first().waitFor()
    expect(await page.getByRole('row').count()).toBeGreaterThan(1)
    expect(pageErrors).toEqual([])
    await operator.context().close()
    await page.context().close()
    await instance.remove()
  }, 300_000)
}
