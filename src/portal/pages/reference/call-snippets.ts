/** A call as a command of curl and as programs in Python and JavaScript, which run as they are pasted. */
import type { Snippet } from '../../parts/key-box.tsx'
import type { ExampleCall } from './example.ts'

/** A quote ends the text of a shell, stands for itself, and begins it again. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** JSON's texts are those of Python and JavaScript too. */
const quoted = (text: string): string => JSON.stringify(text)

function curl({ method, url, headers, json, form }: ExampleCall): string {
  const parts = [
    `curl -sS${method === 'GET' || method === 'POST' ? '' : ` -X ${method}`} ${inShell(url)}`,
    ...headers.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(form ?? []).map(([name, value, isFile]) => `-F ${inShell(`${name}=${isFile ? '@' : ''}${value}`)}`),
    ...(json === undefined ? [] : [`-d ${inShell(JSON.stringify(json))}`]),
  ]
  // a POST without a body is one all the same
  if (method === 'POST' && json === undefined && form === undefined)
    parts[0] = parts[0]?.replace('-sS', '-sS -X POST') ?? ''
  return parts.join(' \\\n  ')
}

/** A value as Python writes it. */
function asPython(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(asPython).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, member]) => `${quoted(name)}: ${asPython(member)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

function python({ method, url, headers, json, form }: ExampleCall): string {
  const given = `{${headers.map(([name, value]) => `${quoted(name)}: ${quoted(value)}`).join(', ')}}`
  if (form !== undefined) {
    const files = form
      .filter(([, , isFile]) => isFile)
      .map(([name, file]) => `(${quoted(name)}, open(${quoted(file)}, "rb"))`)
    const texts = form.filter(([, , isFile]) => !isFile).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`)
    return `import requests

response = requests.post(
    ${quoted(url)},
    headers=${given},
    files=[${files.join(', ')}],
    data={${texts.join(', ')}},
)
print(response.text)`
  }
  const body = json === undefined ? '' : `\n    data=json.dumps(${asPython(json)}).encode(),`
  return `${json === undefined ? '' : 'import json\n'}import urllib.request

request = urllib.request.Request(
    ${quoted(url)},
    method=${quoted(method)},${body}
    headers=${given},
)
print(urllib.request.urlopen(request).read().decode())`
}

function javaScript({ method, url, headers, json, form }: ExampleCall): string {
  const given = `{ ${headers.map(([name, value]) => `${quoted(name)}: ${quoted(value)}`).join(', ')} }`
  if (form !== undefined) {
    const hasFiles = form.some(([, , isFile]) => isFile)
    const lines = form.map(([name, value, isFile]) =>
      isFile
        ? `form.append(${quoted(name)}, await openAsBlob(${quoted(value)}), ${quoted(value)})`
        : `form.set(${quoted(name)}, ${quoted(value)})`,
    )
    return `${hasFiles ? "import { openAsBlob } from 'node:fs'\n\n" : ''}const form = new FormData()
${lines.join('\n')}
const response = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: ${given},
  body: form,
})
console.log(await response.text())`
  }
  const body = json === undefined ? '' : `\n  body: JSON.stringify(${JSON.stringify(json)}),`
  return `const response = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: ${given},${body}
})
console.log(await response.text())`
}

export const snippetsOf = (call: ExampleCall): Snippet[] => [
  { language: 'curl', code: curl(call) },
  { language: 'Python', code: python(call) },
  { language: 'JavaScript', code: javaScript(call) },
]
