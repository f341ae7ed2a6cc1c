/** Commands that call a Tool API with its key. They contain the real address and id, and work when pasted. */
import type { Feature } from 'geojson'
import type { Snippet } from './key-box.tsx'

type Call = {
  /** Where the API is, for example `location.origin`. */
  address: string
  id: string
  key: string
  /** A feature to send; without names or texts of people, since it stands in quotes of a shell. */
  example?: Feature
}

const EXAMPLE: Feature = {
  ...{ type: 'Feature', properties: { name: 'Example' } },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [13.3, 52.4],
        [13.5, 52.4],
        [13.5, 52.6],
        [13.3, 52.6],
        [13.3, 52.4],
      ],
    ],
  },
}

export function toolApiSnippets({ address, id, key, example = EXAMPLE }: Call): Snippet[] {
  const url = `${address}/tool-apis/${id}/run`
  const input = JSON.stringify(example)
  return [
    {
      language: 'curl',
      code: `curl -sS '${url}' \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"input":${input}}'`,
    },
    {
      language: 'Python',
      code: `import json, urllib.request

feature = ${input}
request = urllib.request.Request(
    "${url}",
    data=json.dumps({"input": feature}).encode(),
    headers={"Authorization": "Bearer ${key}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`,
    },
    {
      language: 'JavaScript',
      code: `const feature = ${input}
const response = await fetch('${url}', {
  method: 'POST',
  headers: { Authorization: 'Bearer ${key}', 'Content-Type': 'application/json' },
  body: JSON.stringify({ input: feature }),
})
console.log(await response.json())`,
    },
  ]
}
