/** Diagnosis of mail that could not be sent, for the operator's log and terminal. Never shown to clients. */
import { errorMessage } from '../../store/model/errorMessage.js'
import type { Config } from '../config/config.js'
import type { SettingKey } from '../config/settings/settings.js'
import { TemplateWrong } from './renderer.js'
import { SendmailFailed } from './sendmail.js'
import { ServiceRefused } from './service.js'

export interface Diagnosis {
  /** One sentence, without secrets. */
  cause: string
  /** The setting most likely to fix the problem, with a value to try if one is known. */
  setting?: SettingKey
  value?: string
  /** The last response of the mail server. */
  response?: string
}

/** The parts of an error of nodemailer or the system that a diagnosis uses. */
interface DescribedFailure {
  message: string
  code: string
  /** The system error code below nodemailer's own. */
  cause: string
  command: string
  responseCode: number
  response: string
  timeoutType: string
}

function failureOf(error: unknown): DescribedFailure {
  const fields = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')
  const inner = typeof fields['cause'] === 'object' && fields['cause'] !== null ? (fields['cause'] as { code?: unknown }) : {}
  return {
    message: errorMessage(error),
    code: text('code'),
    cause: text('originalCode') || (typeof inner.code === 'string' ? inner.code : '') || text('code'),
    command: text('command'),
    responseCode: typeof fields['responseCode'] === 'number' ? fields['responseCode'] : 0,
    response: text('response'),
    timeoutType: text('timeoutType'),
  }
}

const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** Returns the diagnosis of a delivery error. */
export function diagnose(error: unknown, config: Config): Diagnosis {
  if (error instanceof TemplateWrong) return { cause: `The template cannot be used: ${error.message}` }
  if (error instanceof SendmailFailed) {
    return { cause: `The sendmail program rejected the mail: ${error.message}`, setting: 'services.email.smtp.path' }
  }
  if (error instanceof ServiceRefused) return serviceDiagnosis(error)
  const failure = failureOf(error)
  const response = failure.response === '' ? {} : { response: failure.response.replace(/\s+/g, ' ').slice(0, 500) }
  return { ...connectionDiagnosis(failure, config), ...response }
}

function serviceDiagnosis({ status }: ServiceRefused): Diagnosis {
  const isKey = status === 401 || status === 403
  return {
    cause: `The mail service answered with status ${status}${isKey ? ': it rejected the key' : ''}.`,
    setting: isKey ? 'services.email.key' : 'services.email.url',
  }
}

function connectionDiagnosis(failure: DescribedFailure, config: Config): Diagnosis {
  const isService = config.get('services.email.method') !== 'in-process'
  const isProgram = !isService && config.get('services.email.smtp.sendmail')
  const host = config.get('services.email.smtp.host') ?? ''
  const port = config.get('services.email.smtp.port')
  const secure = config.get('services.email.smtp.secure')
  const server = isService ? 'the mail service' : `${host}:${port}`
  const address: SettingKey = isService ? 'services.email.url' : 'services.email.smtp.host'
  const portOrAddress: SettingKey = isService ? 'services.email.url' : 'services.email.smtp.port'
  if (isProgram && (failure.cause === 'ENOENT' || failure.cause === 'EACCES')) {
    return { cause: 'No executable sendmail program at this path.', setting: 'services.email.smtp.path' }
  }
  if (failure.cause === 'ENOTFOUND' || failure.cause === 'EAI_AGAIN' || failure.code === 'EDNS') {
    return { cause: `Cannot resolve the host name ${isService ? 'of the mail service' : host}.`, setting: address }
  }
  if (failure.cause === 'ECONNREFUSED') return { cause: `Connection refused by ${server}.`, setting: portOrAddress }
  if (failure.cause === 'EHOSTUNREACH' || failure.cause === 'ENETUNREACH') {
    return { cause: `No route to ${server}.`, setting: address }
  }
  if (UNTRUSTED.test(failure.cause)) {
    return {
      cause: `The certificate of ${server} is not trusted for this name (${failure.cause}). Use the host name in the certificate.`,
      setting: address,
    }
  }
  if (/wrong version number|packet length too long|unknown protocol|ERR_SSL/i.test(`${failure.message} ${failure.cause}`)) {
    return secure
      ? { cause: `${server} does not start with TLS.`, setting: 'services.email.smtp.secure', value: 'false' }
      : { cause: `TLS handshake with ${server} failed: ${failure.message}`, setting: 'services.email.smtp.port' }
  }
  if (failure.timeoutType === 'GREETING_TIMEOUT' && !secure) {
    return {
      cause: `${server} accepts the connection but sends nothing; it may expect TLS from the first byte.`,
      setting: 'services.email.smtp.secure',
      value: 'true',
    }
  }
  if (failure.timeoutType === 'CONNECT_TIMEOUT') {
    return { cause: `${server} does not respond: check the port and any firewall.`, setting: portOrAddress }
  }
  return smtpDiagnosis(failure, server)
}

function smtpDiagnosis(failure: DescribedFailure, server: string): Diagnosis {
  const { code, command, responseCode, response } = failure
  if (code === 'EAUTH') {
    return command === 'API'
      ? { cause: 'A user name is set, but no password.', setting: 'services.email.smtp.auth.pass' }
      : { cause: `${server} rejected the user name or password.`, setting: 'services.email.smtp.auth.pass' }
  }
  if (code === 'ETLS') {
    return {
      cause: `${server} offers no working encryption; passwords are sent over encrypted connections only.`,
      setting: 'services.email.smtp.port',
      value: '465',
    }
  }
  if (responseCode === 530 || /auth\w* (is )?required|not authenticated|relay/i.test(response)) {
    return { cause: `${server} requires a login to accept this mail.`, setting: 'services.email.smtp.auth.user' }
  }
  if (command === 'MAIL FROM') return { cause: `${server} rejected the sender.`, setting: 'services.email.from.address' }
  if (command === 'RCPT TO') return { cause: `${server} rejected the recipient.` }
  if (code === 'EMESSAGE' || command === 'DATA') return { cause: `${server} rejected the message.` }
  if (code === 'ETIMEDOUT' || code === 'EABORT' || code === 'ABORT_ERR' || failure.message.includes('aborted')) {
    return { cause: `${server} did not finish in time.` }
  }
  if (code === 'ECONNECTION' || code === 'ESOCKET' || code === 'ECONNRESET') {
    return { cause: `${server} closed the connection: ${failure.message}`, setting: 'services.email.smtp.port' }
  }
  return { cause: failure.message }
}
