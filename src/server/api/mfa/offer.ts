/** Second factors that this node offers, according to its settings (docs/interface/mfa.md#settings). */
import type { MfaMethod } from '../../../store/model/mfa.js'
import type { Config } from '../../config/config.js'
import type { Backoff } from '../../auth/attempts.js'
import type { Log } from '../../base/log.js'
import type { SmsEndpoint } from '../../config/settings/mfa.js'

/** Returns the offered methods, the default first; none when MFA is switched off. */
export function offeredMethods(config: Config): MfaMethod[] {
  if (!config.get('services.mfa.active')) return []
  if (config.get('services.mfa.mode') !== 'disabled') return ['sms']
  const offered: MfaMethod[] = []
  if (config.get('services.mfa.methods.totp.active')) offered.push('totp')
  if (config.get('services.mfa.methods.sms.active')) offered.push('sms')
  return config.get('services.mfa.defaultMethod') === 'sms' ? offered.reverse() : offered
}

/** Returns the mode of text messages: codes created and checked by the node (`single`), or by the operator's service. */
export function smsMode(config: Config): 'single' | 'challenge-verify' {
  const older = config.get('services.mfa.mode')
  return older === 'disabled' ? config.get('services.mfa.methods.sms.mode') : older
}

/**
 * Returns an endpoint of the text message service.
 * @throws Error when the setting is missing
 */
export function smsEndpoint(config: Config, name: 'single' | 'challenge' | 'verify'): SmsEndpoint {
  const endpoint =
    config.get(`services.mfa.methods.sms.endpoints.${name}`) ?? config.get(`services.mfa.sms.endpoints.${name}`)
  if (endpoint === null) throw new Error(`services.mfa.methods.sms.endpoints.${name} is not set`)
  return endpoint
}

/** Returns the delays after wrong codes of an account (docs/interface/limits.md#attempts). */
export function codeBackoff(config: Config): Backoff {
  const failures = config.get('services.mfa.attempts.perAccount')
  return {
    freeFailures: config.get('services.mfa.attempts.backoff.freeFailures'),
    baseSeconds: config.get('services.mfa.attempts.backoff.baseSeconds'),
    maxSeconds: config.get('services.mfa.attempts.backoff.maxSeconds'),
    windowSeconds: config.get('services.mfa.attempts.perAccountWindowSeconds'),
    ...(failures === 0 ? {} : { lock: { failures, seconds: config.get('services.mfa.attempts.lockoutSeconds') } }),
  }
}

/** Logs warnings about settings that make codes easier to guess. */
export function warnOfWeakSettings(config: Config, log: Log): void {
  const { baseSeconds, maxSeconds } = codeBackoff(config)
  if (maxSeconds > 0 && baseSeconds === 0) {
    log.warn('services.mfa.attempts.backoff.baseSeconds is 0: wrong codes cause no delay until the account is locked')
  }
}
