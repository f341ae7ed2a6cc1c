/** Warnings of a run over HTTP: the same list in English and in Arabic, in every answer that has one. */
import { expect, test } from 'bun:test'
import { fileForm } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { collection, feature, toolApisOf } from '../../support/server/tool-apis.ts'
import { type Call, callAs, memberAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'
import { callTool, GIS } from '../../support/workers/tools.ts'

type Data = { warnings?: string[]; warningsAr?: string[]; jobID: string; usage: { runId: string } }

const instance = await sharedInstance()
const home = await instance.organization('business')
const owner = await memberAccount(instance, home.id, 'owner')
const as = <T>(method: string, path: string, call: Call = {}) =>
  callAs<T>(instance.url(), owner, method, GIS + path, { enterprise: home.id, ...call })

const CSV = 'lon,lat,name,name,big\n1,2,a,b,9007199254740993\n3,4,c\n'
const INPUT = { file: { name: 'points.csv', content: CSV }, target_format: 'shp' }
const ENGLISH = [
  'CSV names no CRS; coordinates were read as longitude and latitude in WGS 84',
  '1 rows have fewer cells than the header, first row 2; their last cells are empty',
  'columns with the same name were renamed: name → name_2',
]
const ARABIC = [
  'لا يذكر ملف CSV نظام الإحداثيات؛ قُرئت الإحداثيات طولًا وعرضًا في WGS 84',
  'صفوف خلاياها أقل من خلايا العنوان: 1؛ أولها الصف 2؛ خلاياها الأخيرة فارغة',
  'أعمدة مكررة الاسم أُعيدت تسميتها: \u2068name → name_2\u2069',
]

function form(): FormData {
  const body = fileForm('points.csv', CSV)
  body.set('target_format', 'shp')
  return body
}

test('a call with a key pair answers both lists', async () => {
  const answer = await callTool(instance, home, '/validate-convert', INPUT, true)
  const { data } = (await answer.json()) as { data: Data }
  expect([data.warnings?.slice(0, 3), data.warningsAr?.slice(0, 3)]).toEqual([ENGLISH, ARABIC])
  expect(data.warningsAr).toHaveLength(data.warnings?.length as number)
})

test('a call of an account answers both lists, and the run keeps them', async () => {
  const { data } = await as<Data>('POST', '/validate-convert', { body: form() })
  expect([data.warnings?.slice(0, 3), data.warningsAr?.slice(0, 3)]).toEqual([ENGLISH, ARABIC])
  const kept = await as<Data>('GET', `/runs/${data.usage.runId}/result`)
  expect([kept.data.warnings, kept.data.warningsAr]).toEqual([data.warnings, data.warningsAr])
})

test('the results of a job have both lists', async () => {
  const { data } = await as<Data>('POST', '/validate-convert', { body: form(), headers: { prefer: 'respond-async' } })
  await until(
    async () => (await as<{ status: string }>('GET', `/jobs/${data.jobID}`)).data.status === 'successful',
    'the job',
  )
  const results = await as<Data>('GET', `/jobs/${data.jobID}/results`)
  expect([results.data.warnings?.slice(0, 3), results.data.warningsAr?.slice(0, 3)]).toEqual([ENGLISH, ARABIC])
})

test('an answer without warnings has neither list', async () => {
  const answer = await callTool(
    instance,
    home,
    '/centroids',
    { file: 'stations.geojson', target_format: 'geojson' },
    true,
  )
  const { data } = (await answer.json()) as { data: Data }
  expect(data.usage.runId).toStartWith('run_')
  expect(Object.keys(data).filter((name) => name.startsWith('warnings'))).toEqual([])
})

test('a Tool API answers its result only', async () => {
  const { save, run } = toolApisOf(() => instance)
  const api = await save(home.id, 'vector.convex-hull')
  // the hull of one point has no area, which is a warning of the tool
  const answer = await run(api, { input: collection(feature({ type: 'Point', coordinates: [1, 2] })) })
  expect([answer.status, Object.keys(answer.data)]).toEqual([200, ['featureCount', 'result']])
})
