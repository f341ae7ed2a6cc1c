/** A call as a curl command and as programs in Python and JavaScript, which work as pasted. */
import type { Feature } from 'geojson'

export type Snippet = { language: 'curl' | 'Python' | 'JavaScript' | 'Telegraf'; code: string }

export type FormPart = { field: string; text: string } | { field: string; file: string }

export type Call = {
  method?: string
  /** With the address of the server, for example `location.origin`. */
  url: string
  headers: Record<string, string>
  /** Only one of the two; texts in JSON may be `NOW`. */
  json?: unknown
  form?: readonly FormPart[]
}

/** Placeholder for the time at which the command or program runs. Nobody can type it. */
export const NOW = '\ue000now'
const NOW_IN_JSON = JSON.stringify(NOW)

/** Within single quotes of a shell, only the quote itself is special. */
export const shell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** curl unescapes backslashes and quotes in a quoted file name. */
const curlFile = (name: string): string => `@"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** A command that gets the time when it runs, in place of `NOW` within its quoted JSON. */
export const withShellTime = (command: string): string =>
  command.replaceAll(NOW_IN_JSON, `"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"`)

function curl({ method = 'GET', url, headers, json, form = [] }: Call): string {
  const isPost = json !== undefined || form.length > 0
  const command = [
    `curl -sS${method === (isPost ? 'POST' : 'GET') ? '' : ` -X ${method}`} ${shell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
    ...form.map((part) =>
      'file' in part
        ? `-F ${shell(`${part.field}=${curlFile(part.file)}`)}`
        : // takes a text as it is, also one that begins with @ or <
          `--form-string ${shell(`${part.field}=${part.text}`)}`,
    ),
    ...(json === undefined ? [] : [`-d ${shell(JSON.stringify(json))}`]),
  ]
  return withShellTime(command.join(' \\\n  '))
}

/** JSON strings are also valid in Python and JavaScript, except characters that end a line in older JavaScript. */
const literal = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** JSON as a value of Python. */
function python(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (value === NOW) return 'datetime.now(timezone.utc).isoformat()'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value !== 'object') return literal(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${literal(name)}: ${python(one)}`)
    .join(', ')}}`
}

function pythonProgram({ method = 'GET', url, headers, json, form }: Call): string {
  if (form !== undefined)
    return `import requests

response = requests.post(
    ${literal(url)},
    headers=${python(headers)},
    files=[
${form
  .map((part) => {
    // a part without a file name is a text field, so the body is a form even without files
    const value = 'file' in part ? `open(${literal(part.file)}, "rb")` : `(None, ${literal(part.text)})`
    return `        (${literal(part.field)}, ${value}),`
  })
  .join('\n')}
    ],
)
print(response.text)`
  const body = json === undefined ? '' : `\n    data=json.dumps(${python(json)}).encode(),`
  return `import ${json === undefined ? '' : 'json, '}urllib.request
${body.includes(python(NOW)) ? 'from datetime import datetime, timezone\n' : ''}
request = urllib.request.Request(
    ${literal(url)},${method === 'GET' ? '' : `\n    method=${literal(method)},`}${body}
    headers=${python(headers)},
)
print(urllib.request.urlopen(request).read().decode())`
}

function javaScript({ method = 'GET', url, headers, json, form }: Call): string {
  const start = form?.some((part) => 'file' in part) ? "import { openAsBlob } from 'node:fs'\n\n" : ''
  const parts = form?.map((part) => {
    const file = 'file' in part ? literal(part.file) : ''
    const value = 'file' in part ? `await openAsBlob(${file}), ${file}` : literal(part.text)
    return `form.append(${literal(part.field)}, ${value})\n`
  })
  const body = parts !== undefined ? 'form' : json !== undefined ? `JSON.stringify(${literal(json)})` : undefined
  return `${start}${parts === undefined ? '' : `const form = new FormData()\n${parts.join('')}`}const response = await fetch(${literal(url)}, {${
    method === 'GET' ? '' : `\n  method: ${literal(method)},`
  }
  headers: ${literal(headers)},${body === undefined ? '' : `\n  body: ${body},`}
})
console.log(await response.text())`.replaceAll(NOW_IN_JSON, 'new Date().toISOString()')
}

export const snippetsOf = (call: Call): Snippet[] => [
  { language: 'curl', code: curl(call) },
  { language: 'Python', code: pythonProgram(call) },
  { language: 'JavaScript', code: javaScript(call) },
]

export type Pair = { publicKey: string; secretKey: string }
export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
export const pairHeaders = ({ publicKey, secretKey }: Pair) => ({ 'X-Api-Key': publicKey, 'X-Api-Secret': secretKey })
const JSON_TYPE = { 'Content-Type': 'application/json' }
/** A call with a body of JSON. */
export const postOf = (url: string, headers: Record<string, string>, json: unknown): Call => ({
  method: 'POST',
  url,
  json,
  headers: { ...headers, ...JSON_TYPE },
})

export type SnippetChannel = { name: string; measurement: string }

const VALUES: Record<string, number | boolean> = { number: 21.5, whole: 3, boolean: true }

/** A value for each channel of a sensor. */
export const valuesOf = (channels: readonly SnippetChannel[]): Record<string, number | boolean> =>
  Object.fromEntries(channels.map(({ name, measurement }) => [name, VALUES[measurement] ?? 21.5]))

/** One reading at the current time. */
export const readingsOf = (channels: readonly SnippetChannel[]): unknown => ({
  readings: [{ at: NOW, values: valuesOf(channels) }],
})

export const sensorSnippets = (id: string, key: string, channels: readonly SnippetChannel[]): Snippet[] =>
  snippetsOf(postOf(`${location.origin}/sensors/${id}/readings`, bearer(key), readingsOf(channels)))

/** A tool that takes no file. */
export const personalKeySnippets = (key: string): Snippet[] =>
  snippetsOf(
    postOf(`${location.origin}/enterprise/v1/gis/convert-coordinates`, bearer(key), {
      from_format: 'dd',
      points: [{ lon: 13.4, lat: 52.5 }],
    }),
  )

const EXAMPLE: Feature = {
  type: 'Feature',
  properties: { name: 'Example' },
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

export const toolApiSnippets = (id: string, key: string, input: Feature = EXAMPLE): Snippet[] =>
  snippetsOf(postOf(`${location.origin}/tool-apis/${id}/run`, bearer(key), { input }))
