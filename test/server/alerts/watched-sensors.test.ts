/** The sensors that the judging process gets, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WatchedSensor } from '../../../src/alerts/protocol.ts'
import { createWatchFiles } from '../../../src/alerts/watch-files.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import {
  judgedRules,
  type SensorSelection,
  type UsualIntervals,
  watchedSensors,
} from '../../../src/stores/postgres/alerts/watched.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
/** Sensors with even numbers have sent, at intervals as long as their numbers. */
const usual: UsualIntervals = async (_, sensors) =>
  new Map(sensors.filter((number) => number % 2 === 0).map((number) => [number, number]))

/** 2,500 sensors and two others, so that they are read in several statements. */
beforeEach(async () => {
  await postgres.script(`
    DELETE FROM zone_rules; DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier, active_since)
    VALUES ('ent_1', 'One', 'scale', '2026-01-03T00:00:00Z'), ('ent_2', 'Two', 'scale', NULL), ('ent_3', 'Three', 'scale', NULL);
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'a'), ('ass_2', 'ent_2', 'a'), ('ass_3', 'ent_3', 'a');
    INSERT INTO sensors (id, enterprise_id, asset_id, name, tags)
      SELECT 'sen_' || n, 'ent_1', 'ass_1', 's', CASE WHEN n % 10 = 0 THEN '{cold,wet}' WHEN n % 10 = 1 THEN '{cold}' ELSE '{}'::text[] END
      FROM generate_series(1, 2500) AS n;
    INSERT INTO sensors (id, enterprise_id, asset_id, name, tags) VALUES ('sen_b', 'ent_2', 'ass_2', 's', '{cold}'), ('sen_c', 'ent_3', 'ass_3', 's', '{cold}');
    UPDATE sensors SET quiet_since = '2026-01-02T00:00:00.5Z', active_since = '2026-01-01T00:00:00Z' WHERE id = 'sen_1';
    INSERT INTO channels (sensor_id, number, name, measurement, active) SELECT id, 1, 't', 'number', id <> 'sen_10' FROM sensors;
    INSERT INTO channels (sensor_id, number, name, measurement) SELECT id, 2, 'h', 'number' FROM sensors;
    INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, tags, layer_id, event, definition, enabled, since)
    SELECT r.*, now() FROM (VALUES
      ('rul_cold', 'ent_1', 'threshold', 'r', false, '{cold,dry}'::text[], NULL, NULL, '{"conditions": [{"channel": "t", "op": ">", "value": 1}]}'::jsonb, true),
      ('rul_both', 'ent_1', 'silence', 'r', false, '{wet,cold}', NULL, NULL, '{"channel": null}', true),
      ('rul_listed', 'ent_1', 'silence', 'r', false, '{}', NULL, NULL, '{}', true),
      ('rul_off', 'ent_1', 'silence', 'r', true, '{}', NULL, NULL, '{"channel": "h"}', false),
      ('rul_crossing', 'ent_1', 'zone', 'r', true, '{}', 'lay_1', 'enter', '{}', true),
      ('rul_other', 'ent_2', 'change', 'r', true, '{}', NULL, NULL, '{"channel": "h"}', true)) AS r;
    INSERT INTO zone_rule_sensors VALUES ('rul_listed', 'sen_1'), ('rul_listed', 'sen_2'), ('rul_off', 'sen_2')`)
})

async function read(selection: SensorSelection): Promise<Map<string, WatchedSensor>> {
  const rules = new Map((await judgedRules(db)).map((rule) => [rule.id, rule]))
  const sensors = await db.query.sensors.findMany({ columns: { id: true, number: true } })
  const idOf = new Map(sensors.map(({ id, number }) => [number, id]))
  const lines: string[] = []
  for await (const text of watchedSensors(db, rules, selection, usual)) lines.push(...text.trimEnd().split('\n'))
  const read = lines.map((line) => JSON.parse(line) as WatchedSensor)
  const found = new Map(read.map((sensor) => [idOf.get(sensor.number) as string, sensor]))
  expect(found.size).toBe(lines.length)
  return found
}
const rulesIn = (found: ReadonlyMap<string, WatchedSensor>, id: string) => found.get(id)?.rules

test('all sensors that rules watch, with the rules, the channels that rules of the enterprise name, and times', async () => {
  const found = await read('all')
  // a fifth of 2,500 has a tag, one more is listed
  expect(found.size).toBe(500 + 1 + 1)
  expect(rulesIn(found, 'sen_2500')).toEqual(['rul_both', 'rul_cold'])
  expect(rulesIn(found, 'sen_2491')).toEqual(['rul_both', 'rul_cold'])
  expect(rulesIn(found, 'sen_1')).toEqual(['rul_both', 'rul_cold', 'rul_listed'])
  expect(rulesIn(found, 'sen_2')).toEqual(['rul_listed'])
  expect(rulesIn(found, 'sen_3')).toBeUndefined()
  expect(rulesIn(found, 'sen_b')).toEqual(['rul_other'])
  expect(rulesIn(found, 'sen_c')).toBeUndefined()
  expect(found.get('sen_1')).toMatchObject({
    channels: { t: 1 },
    quietSinceMs: Date.UTC(2026, 0, 2, 0, 0, 0, 500),
    activeSinceMs: Date.UTC(2026, 0, 3),
  })
  expect(found.get('sen_10')?.channels).toEqual({})
  for (const id of ['sen_10', 'sen_11']) {
    const { number, usualMs } = found.get(id) as WatchedSensor
    expect(usualMs).toBe(number % 2 === 0 ? number : null)
  }
  // its enterprise has no rule about silence
  expect(found.get('sen_b')?.usualMs).toBeNull()
  expect(found.get('sen_b')).toMatchObject({ channels: { h: 2 }, quietSinceMs: null, activeSinceMs: null })
  expect(found.get('sen_b')?.enterprise).not.toBe(found.get('sen_1')?.enterprise)
})

test('chosen sensors are written, watched or not; of rules only those that they watch', async () => {
  const some = await read({ sensorIds: ['sen_1', 'sen_3', 'sen_c', 'sen_gone'] })
  expect([...some].map(([id, { rules }]) => [id, rules.length])).toEqual([
    ['sen_1', 3],
    ['sen_3', 0],
    ['sen_c', 0],
  ])
  expect((await read({ enterpriseIds: ['ent_1', 'ent_3'] })).size).toBe(2_501)
  const byTag = await read({ byRules: { enterpriseId: 'ent_1', ruleIds: ['rul_cold'], tags: ['cold', 'dry'] } })
  expect([byTag.size, byTag.has('sen_2'), byTag.has('sen_b')]).toEqual([500, false, false])
  const listed = await read({ byRules: { enterpriseId: 'ent_1', ruleIds: ['rul_listed'], tags: [] } })
  expect([...listed.keys()].sort()).toEqual(['sen_1', 'sen_2'])
})

test('a rule that is made or changed has its own sensors written; all of the enterprise if its targets change', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwave-watch-'))
  const changes = createChanges()
  const files = createWatchFiles(db, changes, usual)
  const written = async (): Promise<number | null> => {
    await changes.publish({ kind: 'zone-rule', id: 'rul_new' })
    const { sensors } = await files.write(await files.rules(), folder, false)
    return sensors.path === null ? null : (await Bun.file(sensors.path).text()).trimEnd().split('\n').length
  }
  try {
    expect(await written()).toBe(502)
    expect(await written()).toBeNull()
    await postgres.script(`
      INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, tags, since) VALUES
        ('rul_new', 'ent_1', 'silence', 'r', false, '{wet}', now()), ('rul_new_2', 'ent_3', 'silence', 'r', false, '{cold}', now());
      INSERT INTO zone_rule_sensors VALUES ('rul_new', 'sen_3')`)
    expect(await written()).toBe(250 + 1 + 1)
    await postgres.script(`UPDATE zone_rules SET since = now() + interval '1 second' WHERE id = 'rul_new'`)
    expect(await written()).toBe(251)
    await postgres.script(`UPDATE zone_rules SET tags = '{dry}' WHERE id = 'rul_new'`)
    expect(await written()).toBe(2_500)
    await postgres.script(
      `INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, since) VALUES ('rul_all', 'ent_2', 'silence', 'r', true, now())`,
    )
    expect(await written()).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
  }
})
