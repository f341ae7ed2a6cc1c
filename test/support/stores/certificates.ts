/** Certificates of a test CA, and a server that speaks TLS in front of one that does not. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { outputOf } from '../program.ts'

export type Certificate = { cert: string; key: string; ca: string }

export type Certificates = {
  ca: string
  good: Certificate
  expired: Certificate
  otherName: Certificate
  /** A certificate of another CA. */
  foreign: Certificate
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** Creates files in a folder, for the names and addresses of this machine. */
export function makeCertificates(dir: string): Certificates {
  const path = (name: string): string => join(dir, name)
  function authority(name: string): string {
    const files = ['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`)]
    outputOf('openssl', ['req', '-x509', ...KEY, ...files, '-days', '10', '-subj', `/CN=${name}`])
    return name
  }
  function certificate(name: string, ca: string, names: string, days: number): Certificate {
    const [key, request, cert] = [path(`${name}.key`), path(`${name}.csr`), path(`${name}.pem`)]
    writeFileSync(path(`${name}.ext`), `subjectAltName=${names}\n`)
    outputOf('openssl', ['req', ...KEY, '-keyout', key, '-out', request, '-subj', `/CN=${name}`])
    const signed = ['-CA', path(`${ca}.pem`), '-CAkey', path(`${ca}.key`), '-CAcreateserial', '-days', String(days)]
    outputOf('openssl', ['x509', '-req', '-in', request, '-out', cert, ...signed, '-extfile', path(`${name}.ext`)])
    return { cert, key, ca: path(`${ca}.pem`) }
  }
  const here = 'IP:127.0.0.1,DNS:localhost'
  const ca = authority('ca')
  return {
    ca: path('ca.pem'),
    good: certificate('good', ca, here, 5),
    expired: certificate('expired', ca, here, -1),
    otherName: certificate('other-name', ca, 'DNS:other.example', 5),
    foreign: certificate('foreign', authority('other-ca'), here, 5),
  }
}

/** Listens on a free port, and forwards the decrypted bytes to another port of this machine. */
export async function startTlsFront({ cert, key }: Certificate, toPort: number) {
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (client) => {
    const target = connect(toPort, '127.0.0.1')
    client.pipe(target).pipe(client)
    // the end of either side ends the other one
    client.on('error', () => target.destroy())
    target.on('error', () => client.destroy())
  })
  // a client that rejects the certificate ends its connection
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as { port: number }).port, close: () => void server.close() }
}
