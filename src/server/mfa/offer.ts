/** What second factors this node offers, as its settings say (accounts supplement 5.12). */
import type { MfaMethod } from '../../store/model/mfa.js'
import type { Config } from '../config/config.js'
import type { Backoff } from '../guard/attempts.js'
import type { Log } from '../base/log.js'
import type { SmsEndpoint } from '../config/settings/mfa.js'

/** The methods on offer, the default first; none when the second factor is switched off. */
export function offeredMethods(config: Config): MfaMethod[] {
  if (!config.get('services.mfa.active')) return []
  if (config.get('services.mfa.mode') !== 'disabled') return ['sms']
  const offered: MfaMethod[] = []
  if (config.get('services.mfa.methods.totp.active')) offered.push('totp')
  if (config.get('services.mfa.methods.sms.active')) offered.push('sms')
  return config.get('services.mfa.defaultMethod') === 'sms' ? offered.reverse() : offered
}

/** Who makes and checks codes of text messages: the node, or the operator's service. */
export function smsMode(config: Config): 'single' | 'challenge-verify' {
  const older = config.get('services.mfa.mode')
  return older === 'disabled' ? config.get('services.mfa.methods.sms.mode') : older
}

/** A request to the text message service; the configuration is refused when the one of its mode is missing. */
export function smsEndpoint(config: Config, name: 'single' | 'challenge' | 'verify'): SmsEndpoint {
  const endpoint =
    config.get(`services.mfa.methods.sms.endpoints.${name}`) ?? config.get(`services.mfa.sms.endpoints.${name}`)
  if (endpoint === null) throw new Error(`services.mfa.methods.sms.endpoints.${name} is not set`)
  return endpoint
}

/** How wrong codes of an account delay its next attempt (specification, "Limits"). */
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

/** Tells of settings that make guessing easier than they look. */
export function warnOfWeakSettings(config: Config, log: Log): void {
  const { baseSeconds, maxSeconds } = codeBackoff(config)
  if (maxSeconds > 0 && baseSeconds === 0) {
    log.warn('services.mfa.attempts.backoff.baseSeconds is 0: wrong codes delay nothing until the account is locked')
  }
}
