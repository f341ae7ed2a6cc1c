/** Errors of a store that cannot be opened, with the name of the variable that configures it. */
import { ConfigError } from '../../config/config-error.ts'
import { UnsupportedStoreError } from '../../stores/requirements.ts'

const UNTRUSTED =
  "the server's certificate is not signed by a CA that this process trusts; set NODE_EXTRA_CA_CERTS to a file with the certificate of its CA"
/** Advice to the operator about a rejected certificate, by the error's code. */
const CERTIFICATE_ERRORS: Record<string, string> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host name than the one in the URL",
}

/** Undefined for an error without a certificate as its cause. */
function certificateError(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    const text = typeof code === 'string' ? CERTIFICATE_ERRORS[code] : undefined
    if (text !== undefined) return `${text} (${code})`
  }
  return undefined
}

/** @throws ConfigError when `work` fails */
export async function withVariableName<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const reason = certificateError(error)
    if (reason !== undefined) throw new ConfigError(`${variable}: ${reason}`, { cause: error })
    // the outer error names the attempt; its cause has the server's answer, which is the useful part
    const cause = error instanceof Error && !(error instanceof UnsupportedStoreError) ? (error.cause ?? error) : error
    throw new ConfigError(`${variable}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
