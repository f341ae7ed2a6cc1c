/** Commands that send a reading with a sensor's key. They contain the real address and id, and work when pasted. */
import type { Snippet } from './key-box.tsx'

export type SnippetChannel = { name: string; measurement: string }

const EXAMPLES: Record<string, number | boolean> = { number: 21.5, whole: 3, boolean: true }

/** JSON in single quotes of a shell: a quote ends the text, stands for itself, and begins it again. */
const inShell = (text: string): string => text.replaceAll("'", "'\\''")

/** JSON is Python too, except for true and false. */
function asPython(values: Record<string, number | boolean>): string {
  const members = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)
    return `${JSON.stringify(name)}: ${text}`
  })
  return `{${members.join(', ')}}`
}

/** @param address where the portal and the API are, for example `location.origin` */
export function sensorSnippets(sensor: {
  address: string
  id: string
  key: string
  channels: readonly SnippetChannel[]
}): Snippet[] {
  const url = `${sensor.address}/sensors/${sensor.id}/readings`
  const values = Object.fromEntries(
    sensor.channels.map(({ name, measurement }) => [name, EXAMPLES[measurement] ?? 21.5] as const),
  )
  const json = JSON.stringify(values)
  return [
    {
      language: 'curl',
      code: `curl -sS '${url}' \\
  -H 'Authorization: Bearer ${sensor.key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"readings":[{"at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","values":${inShell(json)}}]}'`,
    },
    {
      language: 'Python',
      code: `import json, urllib.request
from datetime import datetime, timezone

reading = {"at": datetime.now(timezone.utc).isoformat(), "values": ${asPython(values)}}
request = urllib.request.Request(
    "${url}",
    data=json.dumps({"readings": [reading]}).encode(),
    headers={"Authorization": "Bearer ${sensor.key}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`,
    },
    {
      language: 'JavaScript',
      code: `const reading = { at: new Date().toISOString(), values: ${json} }
const response = await fetch('${url}', {
  method: 'POST',
  headers: { Authorization: 'Bearer ${sensor.key}', 'Content-Type': 'application/json' },
  body: JSON.stringify({ readings: [reading] }),
})
console.log(await response.json())`,
    },
  ]
}
