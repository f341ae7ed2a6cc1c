/**
 * Inserts a row of each sensor into a Distributed table whose second shard cannot be reached, with the sharding key of
 * the cluster files, and prints the sensors that the first shard stored. Arguments: a folder with config.xml, sensors.
 */
import { join } from 'node:path'
import { Session } from 'chdb'
import { clusterStatements } from './two-shards.ts'

const [dir, sensors] = process.argv.slice(2) as [string, string]
const session = new Session(join(dir, 'data'), { connectionArgs: [`--config-file=${join(dir, 'config.xml')}`] })
const [key] = clusterStatements().flatMap((text) => /readings_local, (intHash64\(.+?\))\)/.exec(text)?.[1] ?? [])
session.query('CREATE TABLE readings_local (sensor UInt32) ENGINE = MergeTree ORDER BY sensor')
session.query(
  `CREATE TABLE readings AS readings_local ENGINE = Distributed('half', currentDatabase(), readings_local, ${key})`,
)
for (let sensor = 0; sensor < Number(sensors); sensor++)
  try {
    session.query(`INSERT INTO readings SELECT ${sensor} SETTINGS distributed_foreground_insert = 1`)
  } catch (error) {
    // expected for rows of the other shard
    if (!String(error).includes('Connection refused')) throw error
  }
process.stdout.write(
  session
    .query('SELECT groupArray(sensor) FROM (SELECT sensor FROM readings_local ORDER BY sensor)', 'JSONCompactEachRow')
    .trim()
    .slice(1, -1),
)
process.exit(0)
