/** The page in an archive that explains each of its files. */
import type { OwnedRecords } from '../stores/postgres/files/owned-records.ts'

export function readmeOf(owner: { id: string; isPerson: boolean }, records: readonly OwnedRecords[], at: Date): string {
  const width = Math.max(...records.map(({ table }) => table.length))
  const lines = records.map(({ table, note }) => `  records/${table}.ndjson`.padEnd(width + 20) + note)
  return `Data of the ${owner.isPerson ? 'person' : 'enterprise'} ${owner.id}
Exported at ${at.toISOString()}

This archive has everything that Groundwave stores about this ${owner.isPerson ? 'person' : 'enterprise'}. Each table is
read at one moment; changes during the export may be in one table and not yet in another.

records/   One file for each table. Each line is a record as JSON (NDJSON, UTF-8). Times have an offset from UTC, binary
           content is in hexadecimal digits, and columns have the names of the database. A file is empty where there are
           no records. Hashes of passwords and keys, and tokens, are left out.

${lines.join('\n')}

files/stored/<key>/            The content of each file in records/stored_files.ndjson. The folder has its id.
files/own/<file id>/<version>/ The content of each version in records/owner_file_versions.ndjson. Versions in which the
                               scan found malware are left out. Characters of names that are unsafe in paths became "_".
files/missing.ndjson           Records whose content could not be found in the file store; normally empty.
${
  owner.isPerson
    ? ''
    : `
readings/<sensor id>/<year>-<month>.csv
           The readings of a sensor in a month (UTC), a row for each value: sensorId, at (RFC 3339), channel, measurement
           (number, whole or boolean), value, longitude and latitude in degrees (WGS 84). Readings with only a position
           have no channel. Sensors and channels are described in records/sensors.ndjson and records/channels.ndjson.
readings/zone-events.ndjson
           Events that zone rules detected, a line for each.

Averages, newest values and states of sensors are computed from the readings and are not repeated here.
`
}
Counters of the last minutes that limit calls are not part of this archive; they expire by themselves.
`
}
