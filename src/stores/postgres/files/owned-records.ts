/**
 * Every table with records of an enterprise or a person, for the full export of their data: which rows belong to them,
 * and what the rows are. test/server/enterprise/data-exports.test.ts fails when a table that refers to an owner is
 * missing here.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { unpack } from '../packed-text.ts'
import { rowsOf } from '../rows.ts'

export type OwnedRecords = {
  table: string
  /** SQL in which `$owner` is the id of the owner. */
  where: string
  note: string
  /** Rows that are read at once; fewer where they may be large. */
  batch?: number
}

const OWNER = 'owner_id = $owner'
const ENTERPRISE = 'enterprise_id = $owner'
const of = (table: string, column: string, key = 'id', where = OWNER): string =>
  `${column} IN (SELECT ${key} FROM ${table} WHERE ${where})`

/** Tables that enterprises and people have in common. */
const OF_BOTH: OwnedRecords[] = [
  { table: 'layers', where: OWNER, note: 'Map layers' },
  {
    table: 'layer_versions',
    where: of('layers', 'layer_id'),
    note: 'Versions of map layers: when, by whom, how many features',
  },
  {
    table: 'layer_features',
    where: of('layers', 'layer_id'),
    batch: 100,
    note: 'Features of map layers; geometry is well-known binary (ISO 19125) in hexadecimal digits; `gone` marks deleted ones',
  },
  {
    table: 'layer_history',
    where: of('layers', 'layer_id'),
    batch: 100,
    note: 'Features as they were in earlier versions',
  },
  { table: 'owner_files', where: OWNER, note: 'Files of the owner; contents are below files/own' },
  {
    table: 'owner_file_versions',
    where: of('owner_files', 'file_id'),
    note: 'Versions of these files, and what the scan found',
  },
  { table: 'tool_apis', where: OWNER, note: 'Saved Tool APIs' },
  {
    table: 'tool_api_keys',
    where: of('tool_apis', 'tool_api_id'),
    note: 'Keys of Tool APIs, without the keys themselves',
  },
  { table: 'tool_api_days', where: of('tool_apis', 'tool_api_id'), note: 'Calls of Tool APIs by day' },
  {
    table: 'tool_api_statistics',
    where: of('tool_apis', 'tool_api_id'),
    note: 'Calls of Tool APIs by hour, day and result code',
  },
  { table: 'tool_api_minutes', where: of('tool_apis', 'tool_api_id'), note: 'Calls of Tool APIs in the last minutes' },
  {
    table: 'refusing_tool_apis',
    where: of('tool_apis', 'tool_api_id'),
    note: 'Tool APIs that refuse half of their calls',
  },
  { table: 'tool_api_refusals', where: of('tool_apis', 'tool_api_id'), note: 'The last refused call of each kind' },
  { table: 'api_request_days', where: OWNER, note: 'API requests by day' },
  // gets no new rows since requests are counted one by one; the previous release needs the table
  {
    table: 'api_request_blocks',
    where: OWNER,
    note: 'API requests that are counted in their day and given to calls a moment later',
  },
  { table: 'runs', where: OWNER, note: 'Runs of tools, with their settings' },
  {
    table: 'run_answers',
    where: of('runs', 'run_id'),
    batch: 20,
    note: 'Answers of runs that are kept for their page',
  },
  { table: 'run_days', where: OWNER, note: 'Runs and credits by day' },
  { table: 'jobs', where: OWNER, batch: 2, note: 'Jobs, with what was asked and the result' },
  {
    table: 'stored_files',
    where: OWNER,
    note: 'Inputs and results of tools, and uploads; contents are below files/stored',
  },
  { table: 'uploads', where: OWNER, note: 'Uploads, also unfinished ones, whose bytes are not in this archive' },
  { table: 'upload_pieces', where: of('uploads', 'upload_id'), note: 'Pieces of uploads that have arrived' },
  { table: 'data_exports', where: OWNER, note: 'Archives like this one' },
]

const OF_ENTERPRISES: OwnedRecords[] = [
  { table: 'enterprises', where: 'id = $owner', note: 'The enterprise, its tier and limits' },
  { table: 'retentions', where: ENTERPRISE, note: 'How long readings are kept' },
  { table: 'members', where: ENTERPRISE, note: 'Members and their roles' },
  { table: 'one_time_links', where: ENTERPRISE, note: 'Invitations' },
  { table: 'applications', where: ENTERPRISE, note: 'Applications and what they may use' },
  {
    table: 'application_keys',
    where: of('applications', 'application_id', 'id', ENTERPRISE),
    note: 'Key pairs of applications, without secret keys',
  },
  {
    table: 'application_days',
    where: of('applications', 'application_id', 'id', ENTERPRISE),
    note: 'Requests of applications by day',
  },
  { table: 'assets', where: ENTERPRISE, note: 'Assets that carry sensors' },
  { table: 'sensors', where: ENTERPRISE, note: 'Sensors; their readings are below readings, in a folder for each id' },
  {
    table: 'channels',
    where: of('sensors', 'sensor_id', 'id', ENTERPRISE),
    note: 'Channels of sensors, also earlier ones',
  },
  {
    table: 'sensor_keys',
    where: of('sensors', 'sensor_id', 'id', ENTERPRISE),
    note: 'Keys of sensors, without the keys themselves',
  },
  { table: 'fleet_keys', where: ENTERPRISE, note: 'Fleet keys, which send for many sensors' },
  {
    table: 'fleet_key_secrets',
    where: of('fleet_keys', 'fleet_key_id', 'id', ENTERPRISE),
    note: 'Secrets of fleet keys, without the secrets themselves',
  },
  {
    table: 'fleet_refusals',
    where: of('fleet_keys', 'fleet_key_id', 'id', ENTERPRISE),
    note: 'What fleet keys sent that was refused and belongs to no sensor',
  },
  { table: 'pending_sensors', where: ENTERPRISE, note: 'Devices that wait for approval' },
  { table: 'sensor_imports', where: ENTERPRISE, batch: 1, note: 'Imports of sensors, with the rows that were refused' },
  {
    table: 'sensor_import_parts',
    where: of('sensor_imports', 'import_id', 'id', ENTERPRISE),
    batch: 10,
    note: 'Rows of unfinished imports of sensors',
  },
  {
    table: 'zone_rules',
    where: ENTERPRISE,
    note: 'Alert rules; events of zone rules are in readings/zone-events.ndjson',
  },
  {
    table: 'zone_rule_sensors',
    where: of('zone_rules', 'rule_id', 'id', ENTERPRISE),
    note: 'Sensors that alert rules name',
  },
  { table: 'alerts', where: ENTERPRISE, note: 'Alerts: when a rule fired for a sensor, and who acknowledged it' },
  { table: 'alert_silences', where: ENTERPRISE, note: 'Silences, which hold back deliveries of alerts' },
  { table: 'events', where: ENTERPRISE, note: 'Events of the last 30 days, as they can be pulled and are delivered' },
  { table: 'destinations', where: ENTERPRISE, note: 'Destinations of events, without their secrets' },
  { table: 'destination_addresses', where: ENTERPRISE, note: 'Addresses that destinations send mails to' },
  { table: 'owner_mails', where: ENTERPRISE, note: 'Mails to owners of the last 30 days' },
  { table: 'deliveries', where: ENTERPRISE, note: 'Deliveries of the last 30 days' },
  {
    table: 'delivery_windows',
    where: of('destinations', 'destination_id', 'id', ENTERPRISE),
    note: 'Until when events of a rule are sent together',
  },
  {
    table: 'alert_repeats',
    where: of('destinations', 'destination_id', 'id', ENTERPRISE),
    note: 'How often a destination got a firing alert again',
  },
  { table: 'held_alerts', where: ENTERPRISE, note: 'Firing alerts that a silence holds back from destinations' },
  { table: 'event_subjects', where: ENTERPRISE, note: 'How many events each subject has had' },
  {
    table: 'saved_documents',
    where: `${ENTERPRISE} AND member_id IS NULL`,
    note: 'Shared dashboards, saved views and recipes; private ones belong to their makers',
    batch: 20,
  },
  { table: 'share_links', where: ENTERPRISE, note: 'Links to dashboards, without the links themselves' },
  {
    table: 'notes',
    where: `${ENTERPRISE} AND member_id IS NULL`,
    note: 'Notes on charts that are shared; private notes belong to their makers',
  },
  { table: 'credit_periods', where: ENTERPRISE, note: 'Credits used by month' },
  { table: 'reading_days', where: ENTERPRISE, note: 'Readings by day' },
  { table: 'sensor_states', where: ENTERPRISE, note: 'The last states of sensors' },
  {
    table: 'device_frames',
    where: of('sensors', 'sensor_id', 'id', ENTERPRISE),
    note: 'Data frames of LoRaWAN devices of the last hour',
  },
  { table: 'spent_days', where: ENTERPRISE, note: 'Days whose readings were spent' },
  { table: 'reading_deletions', where: ENTERPRISE, note: 'Deletions of readings' },
  { table: 'enterprise_figures', where: ENTERPRISE, note: 'Figures of the list of enterprises' },
  { table: 'enterprise_readings', where: ENTERPRISE, note: 'Readings of the current day' },
  { table: 'audit', where: OWNER, note: 'The audit log: who changed what, and when' },
]

const ACCOUNT = 'SELECT account_id FROM people WHERE id = $owner'
const OF_PEOPLE: OwnedRecords[] = [
  { table: 'people', where: 'id = $owner', note: 'The person and the plan' },
  {
    table: 'person_events',
    where: 'person_id = $owner',
    note: 'Events of the last 30 days that the person hears of by e-mail',
  },
  { table: 'personal_keys', where: 'person_id = $owner', note: 'API keys of the person, without the keys themselves' },
  { table: 'accounts', where: `id IN (${ACCOUNT})`, note: 'The account that the person signs in with' },
  { table: 'account_logins', where: `account_id IN (${ACCOUNT})`, note: 'Ways to sign in, without passwords' },
  { table: 'sessions', where: `account_id IN (${ACCOUNT})`, note: 'Where the account is signed in' },
  { table: 'members', where: `account_id IN (${ACCOUNT})`, note: 'Memberships of the account' },
  {
    table: 'favourites',
    where: of('members', 'member_id', 'id', `account_id IN (${ACCOUNT})`),
    note: 'Sensors that the account marked as favourites',
  },
  {
    table: 'operator_tokens',
    where: `maker_id IN (${ACCOUNT})`,
    note: 'Operator tokens that the account made, without the tokens themselves',
  },
  {
    table: 'one_time_links',
    where: `person_id = $owner OR account_id IN (${ACCOUNT})`,
    note: 'Links that were made for the person',
  },
  {
    table: 'audit',
    where: `owner_id = $owner OR subject_id IN (${ACCOUNT}) OR split_part(actor, ' ', 2) IN (SELECT email FROM accounts WHERE id IN (${ACCOUNT}))`,
    note: 'The audit log: changes of the person, and of what the person has',
  },
]

export const recordsOf = (isPerson: boolean): OwnedRecords[] => [...(isPerson ? OF_PEOPLE : OF_ENTERPRISES), ...OF_BOTH]

/** Columns that are never exported: hashes of passwords and keys, and tokens. */
const SECRET = /sha256|hash|token|secret/

/** JSON of each column; binary content as hexadecimal digits. Results of jobs are packed (packed-text.ts). */
async function columnsOf(db: Database, table: string): Promise<string> {
  const columns = rowsOf<{ name: string; type: string }>(
    await db.execute(sql`
      SELECT column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ${table} ORDER BY ordinal_position`),
  )
  if (columns.length === 0) throw new Error(`there is no table ${table}`)
  return columns
    .filter(({ name }) => !SECRET.test(name))
    .map(({ name, type }) => (type === 'bytea' ? `encode("${name}", 'hex') AS "${name}"` : `"${name}"`))
    .join(', ')
}

const BATCH = 500
const OWNER_ID = /^(ent|per)_[0-9a-f]+$/

/** Reads all rows as JSON texts, in batches from one snapshot. */
export async function readRecords(
  db: Database,
  { table, where, batch = BATCH }: OwnedRecords,
  ownerId: string,
  take: (rows: string[]) => Promise<void>,
): Promise<void> {
  // a cursor takes no parameters
  if (!OWNER_ID.test(ownerId)) throw new Error(`"${ownerId}" is no id of an owner`)
  const condition = where.replaceAll('$owner', `'${ownerId}'`)
  const columns = await columnsOf(db, table)
  await db.transaction(async (tx) => {
    await tx.execute(
      sql.raw(`DECLARE records NO SCROLL CURSOR FOR
        SELECT row_to_json(r)::text AS row FROM (SELECT ${columns} FROM ${table} WHERE ${condition}) AS r`),
    )
    for (;;) {
      const rows = rowsOf<{ row: string }>(await tx.execute(sql.raw(`FETCH ${batch} FROM records`)))
      if (rows.length === 0) break
      const texts = rows.map(({ row }) => row)
      await take(table === 'jobs' ? await Promise.all(texts.map(withResult)) : texts)
    }
  })
}

async function withResult(text: string): Promise<string> {
  const { result_text: packed, ...job } = JSON.parse(text) as { result_text: string | null }
  if (packed === null) return JSON.stringify(job)
  // the result is JSON itself
  return `${JSON.stringify({ ...job, result: undefined }).slice(0, -1)},"result":${(await unpack(packed)).toString()}}`
}

export type OwnedObject = { key: string; folder: string; filename: string; bytes: number }

/** The branches are limited as well, so that each is read in the order of an index. */
export const objectsPage = (ownerId: string, after: string, limit: number): SQL => sql`
  (
    SELECT id AS key, 'files/stored/' || id AS folder, filename, bytes::double precision AS bytes
    FROM stored_files WHERE owner_id = ${ownerId} AND id > ${after} ORDER BY id LIMIT ${limit}
  ) UNION ALL (
    SELECT versions.id, 'files/own/' || files.id || '/' || versions.version, versions.filename, versions.bytes::double precision
    FROM owner_files AS files JOIN owner_file_versions AS versions ON versions.file_id = files.id
    WHERE files.owner_id = ${ownerId} AND versions.scan_status <> 'infected' AND versions.id > ${after}
    ORDER BY versions.id LIMIT ${limit}
  ) ORDER BY key LIMIT ${limit}`

/** Contents of files in the file store; infected files are left out. */
export const objectsOf = async (db: Database, ownerId: string, after: string, limit: number): Promise<OwnedObject[]> =>
  rowsOf<OwnedObject>(await db.execute(objectsPage(ownerId, after, limit)))

export async function countParts(db: Database, ownerId: string): Promise<{ objects: number; sensors: number }> {
  const [row] = rowsOf<{ objects: number; sensors: number }>(
    await db.execute(sql`
      SELECT (SELECT count(*) FROM stored_files WHERE owner_id = ${ownerId})::integer
        + (SELECT count(*) FROM owner_files AS files JOIN owner_file_versions AS versions ON versions.file_id = files.id
           WHERE files.owner_id = ${ownerId} AND versions.scan_status <> 'infected')::integer AS objects,
        (SELECT count(*) FROM sensors WHERE enterprise_id = ${ownerId})::integer AS sensors`),
  )
  return row ?? { objects: 0, sensors: 0 }
}

export type OwnedSensor = {
  id: string
  number: number
  enterprise: number
  channels: { number: number; name: string; measurement: 'number' | 'whole' | 'boolean' }[]
}

export async function sensorsOf(db: Database, ownerId: string, after: string, limit: number): Promise<OwnedSensor[]> {
  return rowsOf<OwnedSensor>(
    await db.execute(sql`
      SELECT sensors.id, sensors.number, enterprises.number AS enterprise, coalesce((
          SELECT json_agg(json_build_object('number', number, 'name', name, 'measurement', measurement) ORDER BY number)
          FROM channels WHERE sensor_id = sensors.id), '[]') AS channels
      FROM sensors JOIN enterprises ON enterprises.id = sensors.enterprise_id
      WHERE enterprise_id = ${ownerId} AND sensors.id > ${after} ORDER BY sensors.id LIMIT ${limit}`),
  )
}
