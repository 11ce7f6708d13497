/** Codes of authenticator apps: RFC 6238 with HMAC-SHA1, T0 = 0 (accounts supplement 5.2, 5.9). */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { generateSync, ScureBase32Plugin } from 'otplib'
import type { Node } from '../node.js'

/** What the code of an app depends on. `secret` is Base32. */
export interface TotpRule {
  secret: string
  digits: number
  periodSeconds: number
}

const SECRET_BYTES = 20
const base32 = new ScureBase32Plugin()

/** A fresh secret, Base32: 32 characters without padding. */
export const newTotpSecret = (): string => base32.encode(randomBytes(SECRET_BYTES))

function codeOf({ secret, digits }: TotpRule, step: number): string {
  if (digits !== 6 && digits !== 7 && digits !== 8) throw new Error(`codes of ${digits} digits are none`)
  return generateSync({ strategy: 'hotp', secret, counter: step, digits })
}

/**
 * The step whose code this is, of those around `now` (seconds) that come after `lastUsedStep`; undefined when it is no
 * such code.
 */
export function stepOfCode(
  rule: TotpRule,
  code: string,
  at: { now: number; driftSteps: number; lastUsedStep: number },
): number | undefined {
  if (code.length !== rule.digits) return undefined
  const current = Math.floor(at.now / rule.periodSeconds)
  const given = Buffer.from(code)
  let found: number | undefined
  for (let step = current - at.driftSteps; step <= current + at.driftSteps; step++) {
    // Every step is looked at, so that time tells nothing; of two steps with one code, the earlier counts.
    const isSame = step >= 0 && timingSafeEqual(given, Buffer.from(codeOf(rule, step)))
    if (isSame && step > at.lastUsedStep) found ??= step
  }
  return found
}

/** What authenticator apps read, mostly from a QR code. */
export function otpauthUri(node: Node, username: string, { secret, digits, periodSeconds }: TotpRule): string {
  const issuer = issuerOf(node)
  const label = encodeURIComponent(`${issuer}:${username}`)
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${periodSeconds}`
  return `otpauth://totp/${label}?${query}`
}

function issuerOf(node: Node): string {
  const { config } = node
  const issuer = config.get('services.mfa.methods.totp.issuer')
  return issuer === '' ? (config.get('dns.domain') ?? config.get('service.name')) : issuer
}
