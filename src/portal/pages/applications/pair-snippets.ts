/** Programs that call our API with a key pair. They contain the real address and keys, and work when pasted. */
import type { Snippet } from '../../parts/key-box.tsx'

type Pair = { publicKey: string; secretKey: string }

/** @param path of a list that the application may read */
export function pairSnippets(address: string, path: string, { publicKey, secretKey }: Pair): Snippet[] {
  const url = address + path
  return [
    {
      language: 'curl',
      code: `curl -sS '${url}' \\
  -H 'X-Api-Key: ${publicKey}' \\
  -H 'X-Api-Secret: ${secretKey}'`,
    },
    {
      language: 'Python',
      code: `import urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"X-Api-Key": "${publicKey}", "X-Api-Secret": "${secretKey}"},
)
print(urllib.request.urlopen(request).read().decode())`,
    },
    {
      language: 'JavaScript',
      code: `const response = await fetch('${url}', {
  headers: { 'X-Api-Key': '${publicKey}', 'X-Api-Secret': '${secretKey}' },
})
console.log(await response.json())`,
    },
  ]
}
