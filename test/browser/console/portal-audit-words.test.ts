/** Every code that the server records in the audit trail has a text in both languages, shown instead of the code. */
import { expect, test } from 'bun:test'
import { getTableColumns } from 'drizzle-orm'
import { ar } from '../../../src/portal/text/ar.ts'
import { en } from '../../../src/portal/text/en.ts'
import { AUDIT_ACTIONS, SUBJECT_KINDS } from '../../../src/stores/postgres/accounts/audit.ts'
import { zoneRules } from '../../../src/stores/postgres/alerts/rule-schema.ts'
import {
  layers,
  ownerFiles,
  ownerFileVersions,
  toolApiKeys,
  toolApis,
} from '../../../src/stores/postgres/layers/owned-schema.ts'
import * as schema from '../../../src/stores/postgres/schema.ts'
import { consolePages } from '../../support/browser/console-pages.ts'
import { cellsOf } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { ownedThings } from '../../support/server/owned-things.ts'
import { eventually } from '../../support/until.ts'

const { instance, organization, people, open } = consolePages()

const ARABIC = /\p{Script=Arabic}/u
const lacking = (area: 'actions' | 'kinds' | 'fields', names: readonly string[]): string[] =>
  names.filter((name) => {
    const [english, arabic] = [en.audit[area], ar.audit[area]] as Record<string, string>[]
    return english?.[name] === undefined || !ARABIC.test(arabic?.[name] ?? '')
  })

/** Secrets and internal figures, which are not shown. */
const NOT_SHOWN = new Set([
  'secretSha256',
  'keySha256',
  'number',
  'updatedAt',
  'completeSince',
  'nextOrdinal',
  'historyBytes',
])

test('every recorded action, kind and field has a text', () => {
  expect(lacking('actions', AUDIT_ACTIONS)).toEqual([])
  expect(lacking('kinds', SUBJECT_KINDS)).toEqual([])
  const { enterprises, members, people, applications, applicationKeys, assets, sensors, channels, sensorKeys } = schema
  const tables = [enterprises, members, people, applications, applicationKeys, assets, sensors, channels, sensorKeys]
  const owned = [layers, ownerFiles, ownerFileVersions, toolApis, toolApiKeys, zoneRules]
  const fields = [...tables, ...owned].flatMap((table) => Object.keys(getTableColumns(table)))
  expect(
    lacking(
      'fields',
      fields.filter((field) => !NOT_SHOWN.has(field)),
    ),
  ).toEqual([])
})

const VALUES = {
  en: { role: 'Administrator', whole: 'Whole number', all: 'all', pending: 'Scanning' },
  ar: { role: 'مدير', whole: 'عدد صحيح', all: 'الكل', pending: 'قيد الفحص' },
}
for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: the values of a change have texts`, async () => {
    const [words, texts] = [VALUES[language], language === 'en' ? en : ar]
    const things = ownedThings(instance)
    const member = await things.member(organization.id, 'admin')
    const { id: sensor } = await instance.manage<{ id: string }>('POST', `/enterprises/${organization.id}/sensors`, {
      name: 'Gate',
      channels: [{ name: 'open', measurement: 'whole' }],
    })
    const application = await things.application(organization.id)
    const saved = await things.toolApi(organization.id)
    const file = await things.file(organization.id)
    const page = await open(people.owner, '/settings/audit', { language })
    const shown = async (subject: string, kind: string): Promise<string[][]> => {
      await page.goto(`/portal/settings/audit?subject=${subject}&kind=${kind}&action=create`)
      await page.locator('[role="row"]', { hasText: texts.audit.actions.create }).first().click()
      await page.locator('dialog .diff tbody tr').first().waitFor()
      const cells = await cellsOf(page, 'dialog .diff tbody tr')
      await page.keyboard.press('Escape')
      return cells
    }
    const { fields } = texts.audit
    expect(await shown(member.id, 'member')).toContainEqual([fields.role, words.role])
    expect(await shown(sensor, 'sensor')).toContainEqual([
      `${fields.channels} · open 1 · ${fields.measurement}`,
      words.whole,
    ])
    expect(await shown(application.id, 'application')).toContainEqual([fields.tools, words.all])
    // the names of tools arrive from the server
    await eventually(async () => {
      const [, tool] = (await shown(saved.id, 'tool-api')).find(([field]) => field === fields.toolId) ?? []
      expect(tool).toMatch(language === 'en' ? /^Centroids?$/i : ARABIC)
    })
    const { versions } = await instance.manage<{ versions: { id: string; bytes: number }[] }>(
      'GET',
      `/owners/${organization.id}/files/${file.id}`,
    )
    const version = await shown(versions[0]?.id ?? '', 'file-version')
    expect(version).toContainEqual([fields.scanStatus, words.pending])
    const [, size] = version.find(([field]) => field === fields.bytes) ?? []
    expect(size).toMatch(language === 'en' ? /^\D?\d+\u00a0bytes$/ : /بايت/)
  }, 300_000)
