/** The form of every tool: it has each input once, and sends the server's defaults. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { takesForm } from '../../../src/tools/check.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { accessibilityFaults } from '../../support/browser/accessibility.ts'
import { follow } from '../../support/browser/browser.ts'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { fieldOf } from '../../support/browser/tool-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { eventually } from '../../support/until.ts'
import { FIXTURES, GIS, gisOf } from '../../support/workers/tools.ts'

const { tools } = await loadRegistry()
/** They take seconds, and the other tools have settings of the same kinds. */
const SLOW = new Set(['document.ocr', 'document.pdf-to-word', 'image.remove-background', 'image.enhance-quality'])

type Input = {
  title: string
  minOccurs: number
  maxOccurs: number
  schema: { type: string; enum?: string[]; default?: unknown; contentEncoding?: string; items?: { enum?: string[] } }
  'x-svc-usedWhen'?: { field: string; equals: string | boolean }
  'x-svc-unitInput'?: string
}
type Description = { title: string; inputs: Record<string, Input> }

const { instance, organization, openOwn } = smallFleetPages()
const { call, get, read } = gisOf(
  () => instance,
  () => organization,
)

async function openTool(page: Page, id: string, language: 'en' | 'ar' = 'en'): Promise<Description> {
  const description = await describedIn(id, language)
  await follow(page, `/tools/${id}`)
  await eventually(async () => expect(await page.locator('h1').allTextContents()).toEqual([description.title]))
  await page.locator('.process-form').first().waitFor()
  // the folded fields of the output
  for (const summary of await page.locator('.process-output > summary').all()) await summary.click()
  return description
}

const describedIn = async (id: string, language: string): Promise<Description> =>
  (await (await get(`/processes/${id}?lang=${language}`)).json()) as Description

/** Sets a choice or a check box. */
async function choose(page: Page, name: string, value: string | boolean): Promise<void> {
  const field = fieldOf(page, name)
  if (typeof value === 'boolean') await field.getByRole('checkbox').setChecked(value)
  else await field.locator('select').selectOption(value)
}

/** The control or group of a field with its accessible name. A unit stands beside its value. */
function labelledControls(page: Page, name: string, { title }: Input, isUnit: boolean): Promise<number> {
  // an optional field is marked as optional, with its name isolated
  const named = new RegExp(`^\u2068?${RegExp.escape(title)}\u2069?( \\(.+\\))?$`)
  if (isUnit)
    return page
      .locator(`[data-unit="${name}"]`)
      .and(page.getByRole('combobox', { name: named }))
      .count()
  const field = fieldOf(page, name)
  return Promise.all([
    field.and(page.getByRole('group', { name: named })).count(),
    field.getByLabel(named).and(field.locator('input, select, textarea')).count(),
  ]).then(([groups, controls]) => groups + controls)
}

test.each(sampleOf(['en', 'ar'] as const, 1))(
  'every form has each input exactly once with its name, in %s',
  async (language) => {
    const page = await openOwn('/tools', { language })
    for (const { id } of sampleOf(tools, 20)) {
      const { inputs } = await openTool(page, id, language)
      const units = new Set(Object.values(inputs).map((input) => input['x-svc-unitInput']))
      for (const [name, input] of Object.entries(inputs)) {
        const usedWhen = input['x-svc-usedWhen']
        if (usedWhen !== undefined) {
          const before = inputs[usedWhen.field]?.schema.default
          if (before !== usedWhen.equals) expect(await fieldOf(page, name).count()).toBe(0)
          await choose(page, usedWhen.field, usedWhen.equals)
        }
        await eventually(async () => {
          const count = await labelledControls(page, name, input, units.has(name))
          expect({ id, name, count }).toEqual({ id, name, count: 1 })
        })
      }
    }
  },
  600_000,
)

/** Values that a person must enter: from the tool's example. */
function neededOf({ examples }: Tool, { inputs }: Description): Record<string, unknown> {
  const example = examples[0]?.input ?? {}
  return Object.fromEntries(
    Object.entries(example).filter(([name]) => {
      const input = inputs[name] as Input
      const usedWhen = input['x-svc-usedWhen']
      if (usedWhen === undefined) return input.minOccurs > 0
      // the field applies with the current values of other fields
      return input.schema.default === undefined && inputs[usedWhen.field]?.schema.default === usedWhen.equals
    }),
  )
}

async function fill(page: Page, name: string, input: Input, value: unknown): Promise<void> {
  const field = fieldOf(page, name)
  if (input.schema.contentEncoding === 'binary') {
    const paths = [value].flat().map((file) => join(FIXTURES, file as string))
    await field.locator('input[type=file]').setInputFiles(paths)
    return
  }
  if (input.schema.enum !== undefined) return choose(page, name, value as string)
  if (input.schema.items?.enum !== undefined) {
    for (const one of value as string[])
      await field.getByRole('checkbox').nth(input.schema.items.enum.indexOf(one)).check()
    return
  }
  if (typeof value === 'object') {
    await field.getByRole('button', { name: 'Edit as JSON' }).click()
    await field.getByRole('textbox').fill(JSON.stringify(value))
    // JSON text and fields give the same input, apart from values of a sheet that equal their defaults
    if (name !== 'spec') await field.getByRole('button', { name: 'Edit in fields' }).click()
    return
  }
  await field.getByRole('textbox').fill(String(value))
}

type RunRecord = { settings: Record<string, unknown>; status: string }
const settingsOf = async (runId: string): Promise<RunRecord['settings']> =>
  (await read<RunRecord>(`/runs/${runId}`)).data.settings

test('a form with only the required inputs runs with the same settings and result as a call of the API', async () => {
  const page = await openOwn('/tools')
  const quick = tools.filter(({ id }) => !SLOW.has(id))
  for (const tool of sampleOf(quick, 20)) {
    const description = await openTool(page, tool.id)
    const needed = neededOf(tool, description)
    for (const [name, value] of Object.entries(needed)) await fill(page, name, description.inputs[name] as Input, value)
    const answer = page.waitForResponse((response) => response.url().endsWith(GIS + tool.route))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const sent = (await (await answer).json()) as { code: string; data: { usage: { runId: string } } }
    const { envelope } = await call(tool.route, needed, takesForm(tool))
    expect({ id: tool.id, code: sent.code }).toEqual({ id: tool.id, code: 'SUCCESS' })
    const direct = envelope.data as typeof sent.data
    expect({ id: tool.id, settings: await settingsOf(sent.data.usage.runId) }).toEqual({
      id: tool.id,
      settings: await settingsOf(direct.usage.runId),
    })
    expect(comparable(sent.data)).toEqual(comparable(direct))
  }
}, 300_000)

/** Keys and usage differ between runs. */
function comparable(data: Record<string, unknown>): Record<string, unknown> {
  const own = new Set(['key', 'artifactId', 'inputKey', 'inputKeys', 'usage', 'previewKey', 'previewArtifactId'])
  return Object.fromEntries(Object.entries(data).filter(([name]) => !own.has(name)))
}

test('an error inside a compound value is shown at the field of the whole value', async () => {
  const page = await openOwn('/tools')
  await openTool(page, 'document.document-sign')
  const placements = fieldOf(page, 'placements')
  await placements.getByRole('button', { name: 'Edit as JSON' }).click()
  const json = placements.getByRole('textbox')
  await json.fill('[{"page":0,"x":2,"y":0,"w":1,"h":1}]')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await placements.getByText(/0\.x.*: .*Enter a number from/).waitFor()
  await json.fill('[{"page":0,')
  await placements.getByText('This is not valid JSON.').waitFor()
  // text that is not valid JSON yet is not lost
  expect(await placements.getByRole('button', { name: 'Edit in fields' }).isDisabled()).toBe(true)
  await json.fill('[{"page":0,"x":0.5,"y":0,"w":1,"h":0}]')
  await placements.getByRole('button', { name: 'Edit in fields' }).click()
  await placements.getByText(/Enter more than .*0/).waitFor()
  await eventually(async () => expect(await placements.getByRole('textbox', { name: /Left/ }).inputValue()).toBe('0.5'))

  await openTool(page, 'document.rotate-pages')
  const operations = fieldOf(page, 'operations')
  await operations.getByRole('textbox', { name: /Pages to delete/ }).fill('1, x, 3')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await operations.getByText(/1.*: .*Enter a number/).waitFor()
}, 300_000)

test('forms have no accessibility violations, filled in or with every error shown', async () => {
  for (const [id, view] of [
    ['vector.buffer', { language: 'en', theme: 'light' }],
    ['document.document-sign', { language: 'ar', theme: 'dark', width: 390 }],
    ['export.map-export', { language: 'en', theme: 'dark' }],
    ['raster.zonal-stats', { language: 'ar', theme: 'light' }],
  ] as const) {
    const page = await openOwn('/tools', view)
    await openTool(page, id, view.language)
    expect({ id, faults: await accessibilityFaults(page) }).toEqual({ id, faults: [] })
    await page.locator('.run-bar button[type=submit]').click()
    await page.locator('.process-form .field-error').first().waitFor()
    expect({ id, faults: await accessibilityFaults(page) }).toEqual({ id, faults: [] })
  }
}, 300_000)
