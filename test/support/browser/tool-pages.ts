/** Actions of a person on pages of tools. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { FIXTURES } from '../workers/tools.ts'

export type RunRecord = {
  runId: string
  status: string
  processID: string
  settings: object
  creditsCharged: number
}

export const fieldOf = (page: Page, name: string): Locator => page.locator(`[data-field="${name}"]`)
export const runButton = (page: Page): Locator => page.locator('.run-bar button[type=submit]')

export const focusedField = (page: Page): Promise<string | undefined> =>
  page.evaluate('document.activeElement.closest("[data-field]")?.dataset.field')

/** Drops files as a file manager does. */
export async function drop(
  target: Locator,
  ...files: { name: string; content: string; type?: string }[]
): Promise<void> {
  const data = await target.page().evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    for (const { name, content, type } of ${JSON.stringify(files)})
      transfer.items.add(new File([content], name, { type }))
    return transfer
  })()`)
  await target.dispatchEvent('drop', { dataTransfer: data })
}

export type Answer = { code: string; data: Record<string, unknown> & { key: string; usage: { runId: string } } }

/** Presses the button and waits for the tool's answer. */
export async function run(page: Page, route: string): Promise<Answer> {
  const answer = page.waitForResponse((response) => response.url().endsWith(`/enterprise/v1/gis${route}`))
  await runButton(page).click()
  return (await (await answer).json()) as Answer
}

export const stations = readFileSync(join(FIXTURES, 'stations.geojson'), 'utf8')
