/** Files and requests for nodes with HTTPS and certificates of a test authority. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestSecure } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Issued } from '../../support/services/certificates.js'

export const NAMES = ['localhost', 'node.example.org', '127.0.0.1']

export interface PairFolder {
  certFile: string
  keyFile: string
  /** Settings with both paths. */
  settings: Record<string, string>
  put(pair: Partial<Issued>): void
  remove(): void
}

/** Creates a folder for a certificate and its key, which are not written yet. */
export function pairFolder(): PairFolder {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-tls-'))
  const certFile = join(folder, 'fullchain.pem')
  const keyFile = join(folder, 'privkey.pem')
  return {
    certFile,
    keyFile,
    settings: { 'http.ssl.certFile': certFile, 'http.ssl.keyFile': keyFile },
    put({ cert, key }) {
      if (cert !== undefined) writeFileSync(certFile, cert)
      if (key !== undefined) writeFileSync(keyFile, key, { mode: 0o600 })
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export interface SecureAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown>
}

/** Sends a JSON request over HTTPS that trusts only `ca`. */
export function secureRequest(url: string, ca: string, options: { token?: string; body?: unknown; method?: string; servername?: string } = {}): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ...(options.token === undefined ? {} : { authorization: options.token }), 'content-type': 'application/json' }
    const method = options.method ?? (options.body === undefined ? 'GET' : 'POST')
    const outgoing = requestSecure(url, { ca, method, headers, agent: false, ...(options.servername === undefined ? {} : { servername: options.servername }) }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
      response.on('end', () => {
        let body: Record<string, unknown> = {}
        try {
          body = JSON.parse(text) as Record<string, unknown>
        } catch {
          body = { text }
        }
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(options.body === undefined ? undefined : JSON.stringify(options.body))
  })
}

/** Returns the serial number of the certificate that a new connection receives. */
export function servedSerial(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
