/** The call of a form as a command and as programs: they work as they are shown, once the secret key is filled in. */
import type { Snippet } from '../parts/key-box.tsx'
import { addressOf, type ProcessDescription } from '../parts/process-form/process.ts'
import { type FormContent, inputOf, type Part, partsOf } from '../parts/process-form/values.ts'

export type CallKeys = { publicKey: string; secretKey: string }

/** Inside single quotes of a shell, only the quote itself has a meaning. */
const shell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** curl reads a quoted name of a file with backslashes before quotes and backslashes. */
const curlFile = (name: string): string => `@"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** JSON texts are texts of Python and JavaScript too, apart from characters that end a line in older JavaScript. */
const literal = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** JSON as a value of Python. */
function python(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value !== 'object') return literal(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${literal(name)}: ${python(one)}`)
    .join(', ')}}`
}

/** A file is read from the folder in which the command runs; a stored one is named by its key. */
function splitParts(parts: readonly Part[]) {
  const files: { field: string; name: string }[] = []
  const texts: { field: string; text: string }[] = []
  for (const { field, value } of parts)
    if (typeof value === 'string') texts.push({ field, text: value })
    else if (value.kind === 'stored') texts.push({ field, text: value.key })
    else files.push({ field, name: value.name })
  return { files, texts }
}

/** @param server where the portal and the API are, for example `location.origin` */
export function callSnippets(
  process: ProcessDescription,
  content: FormContent,
  server: string,
  keys: CallKeys,
): Snippet[] {
  const url = server + addressOf(process)
  return process.svc.execution === 'application/json'
    ? jsonSnippets(url, inputOf(content), keys)
    : formSnippets(url, partsOf(content), keys)
}

const curlHead = (url: string, { publicKey, secretKey }: CallKeys): string[] => [
  `curl -sS ${shell(url)}`,
  `-H ${shell(`X-Api-Key: ${publicKey}`)}`,
  `-H ${shell(`X-Api-Secret: ${secretKey}`)}`,
]
const lines = (parts: readonly string[]): string => parts.join(' \\\n  ')
const headersOf = ({ publicKey, secretKey }: CallKeys) => ({ 'X-Api-Key': publicKey, 'X-Api-Secret': secretKey })

function jsonSnippets(url: string, input: Record<string, unknown>, keys: CallKeys): Snippet[] {
  return [
    {
      language: 'curl',
      code: lines([
        ...curlHead(url, keys),
        `-H ${shell('Content-Type: application/json')}`,
        `--data-raw ${shell(JSON.stringify(input))}`,
      ]),
    },
    {
      language: 'Python',
      code: `import requests

response = requests.post(
    ${literal(url)},
    headers=${python(headersOf(keys))},
    json=${python(input)},
)
print(response.json())`,
    },
    {
      language: 'JavaScript',
      code: `const response = await fetch(${literal(url)}, {
  method: 'POST',
  headers: ${literal({ ...headersOf(keys), 'Content-Type': 'application/json' })},
  body: JSON.stringify(${literal(input)}),
})
console.log(await response.json())`,
    },
  ]
}

function formSnippets(url: string, parts: readonly Part[], keys: CallKeys): Snippet[] {
  const { files, texts } = splitParts(parts)
  return [
    {
      language: 'curl',
      code: lines([
        ...curlHead(url, keys),
        ...files.map(({ field, name }) => `-F ${shell(`${field}=${curlFile(name)}`)}`),
        // --form-string takes a text as it is, also one that begins with @ or <
        ...texts.map(({ field, text }) => `--form-string ${shell(`${field}=${text}`)}`),
      ]),
    },
    {
      language: 'Python',
      code: `import requests

response = requests.post(
    ${literal(url)},
    headers=${python(headersOf(keys))},
    files=[
${[
  ...files.map(({ field, name }) => `        (${literal(field)}, open(${literal(name)}, "rb")),`),
  // a text without the name of a file is a text field; so the body is a form even without files
  ...texts.map(({ field, text }) => `        (${literal(field)}, (None, ${literal(text)})),`),
].join('\n')}
    ],
)
print(response.json())`,
    },
    {
      language: 'JavaScript',
      code: `${files.length === 0 ? '' : "import { openAsBlob } from 'node:fs'\n\n"}const form = new FormData()
${[
  ...files.map(
    ({ field, name }) => `form.append(${literal(field)}, await openAsBlob(${literal(name)}), ${literal(name)})`,
  ),
  ...texts.map(({ field, text }) => `form.append(${literal(field)}, ${literal(text)})`),
].join('\n')}
const response = await fetch(${literal(url)}, {
  method: 'POST',
  headers: ${literal(headersOf(keys))},
  body: form,
})
console.log(await response.json())`,
    },
  ]
}
