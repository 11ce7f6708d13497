/** Redacted report of `coffer doctor` to share: no secrets, no names of people, machines or places. */
import { writeFile } from 'node:fs/promises'
import { homedir, hostname, release } from 'node:os'
import { productVersion } from '../../../../server/base/version.js'
import { recordOf, textOf } from '../../../client/answer.js'
import type { Finding, DoctorContext } from './finding.js'
import { jsonDocument } from '../../../terminal/output/text.js'

type NamedFinding = Finding & { check: string }

/** Writes the report to a file that only its owner can read. */
export async function writeReport(file: string, doctorContext: DoctorContext, findings: readonly NamedFinding[]): Promise<void> {
  const redact = redaction(doctorContext, [...(await usernames(doctorContext)), ...certificateNames(doctorContext)])
  const report = {
    coffer: productVersion(),
    node: process.version,
    system: `${process.platform} ${process.arch} ${release()}`,
    running: doctorContext.client !== undefined,
    // Keys of changed settings without their values, which may be secrets or names.
    settings: doctorContext.config === undefined ? [] : doctorContext.config.entries().filter(({ origin }) => origin !== 'default').map(({ key }) => key),
    findings: findings.map(({ check, state, says: message, next }) => ({ check, state, says: redact(message), ...(next === undefined ? {} : { next: redact(next) }) })),
  }
  await writeFile(file, jsonDocument(report, true), { mode: 0o600 })
}

async function usernames({ client, facts }: DoctorContext): Promise<string[]> {
  const { users } = (await client?.call('users.list', {}, {}).catch(() => undefined)) ?? {}
  const peers = (facts?.['peers'] ?? []).flatMap(({ user, name }) => [user, name])
  return [...new Set([...(users ?? []).map(({ username }) => username), ...peers])].filter((name) => name !== '')
}

/** Returns the host names of the node and of its certificate, and the paths of the certificate files. */
function certificateNames({ facts, config }: DoctorContext): string[] {
  const { certificate } = recordOf(facts?.['certificate'])
  const { names } = recordOf(certificate)
  const files = [config?.get('http.ssl.certFile'), config?.get('http.ssl.keyFile')]
  const addresses = [facts?.['base'], config?.get('dnsLess.publicUrl')]
  const hosts = addresses.flatMap((address) => (typeof address === 'string' ? [new URL(address).hostname] : []))
  return [...files, ...hosts, ...(Array.isArray(names) ? names.map(textOf) : [])].filter((name): name is string => typeof name === 'string')
}

/** Returns a function that replaces names and addresses in a text by placeholders. */
export function redaction({ paths }: Pick<DoctorContext, 'paths'>, names: readonly string[]): (text: string) => string {
  const longestFirst = [...names].sort((a, b) => b.length - a.length)
  return (text) => {
    let redacted = text
    for (const name of longestFirst) redacted = redacted.replaceAll(name, `name-${names.indexOf(name) + 1}`)
    for (const [place, word] of [[paths.home, '<home>'], [homedir(), '<user home>'], [hostname(), '<machine>']] as const) {
      if (place.length > 1) redacted = redacted.replaceAll(place, word)
    }
    return redacted
      .replace(/\b(https?|wss?):\/\/[^\s,;:]+(:\d+)?/g, '$1://<host>')
      .replace(/\b(account|user) (?!name-)([0-9a-z-]{5,})\b/g, '$1 <name>')
      .replace(/--user \S+/g, '--user <name>')
      .replace(/[^\s@]+@[^\s@]+\.[a-z]{2,}/gi, '<address>')
      .replace(/\b\d{1,3}(\.\d{1,3}){3}\b/g, '<ip>')
      .replace(/\b[0-9a-f]{0,4}(:[0-9a-f]{0,4}){3,7}\b/gi, '<ip>')
      .replace(/\b[a-z0-9-]+(\.[a-z0-9-]+)+:\d+/gi, '<host>')
  }
}
