/** Settings of mail (docs/interface/system.md#mail). */
import { oneOf, secretKey, setting, text, textLike, webAddress, whole, yesOrNo } from '../setting.js'

const templateName = textLike(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name of letters, digits, dots and dashes')

export const mailSettings = {
  'services.email.enabled.welcome': setting(yesOrNo, {
    default: true,
    summary: 'Send a welcome mail to new accounts.',
  }),
  'services.email.enabled.resetPassword': setting(yesOrNo, {
    default: true,
    summary: 'Allow password reset by mail.',
  }),
  'services.email.enabled.verifyEmail': setting(yesOrNo, {
    default: true,
    summary: 'Verify added e-mail addresses by a mailed link.',
  }),
  'services.email.enabled.mfaChange': setting(yesOrNo, {
    default: true,
    summary: 'Notify owners by mail when their second factor changes.',
  }),
  'services.email.method': setting(oneOf('in-process', 'microservice', 'mandrill'), {
    default: 'in-process',
    summary: 'How mail is sent: in-process by this node over SMTP or sendmail, the others by a service over HTTP.',
  }),
  'services.email.url': setting(webAddress, {
    default: null,
    summary: 'Address of the mail service, for the methods microservice and mandrill.',
  }),
  'services.email.key': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key of the mail service.',
  }),
  'services.email.welcomeTemplate': setting(templateName, {
    default: 'welcome-email',
    summary: 'Template of the welcome mail.',
  }),
  'services.email.resetPasswordTemplate': setting(templateName, {
    default: 'reset-password',
    summary: 'Template of the mail with a password reset link.',
  }),
  'services.email.verifyEmailTemplate': setting(templateName, {
    default: 'verify-email',
    summary: 'Template of the mail that verifies an added address.',
  }),
  'services.email.emailChallengeTemplate': setting(templateName, {
    default: 'email-challenge',
    summary: 'Template of the mail with a registration code.',
  }),
  'services.email.mfaChangeTemplate': setting(templateName, {
    default: 'mfa-change',
    summary: 'Template of the mail about a changed second factor.',
  }),
  'services.email.defaultLang': setting(textLike(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language code such as en'), {
    default: 'en',
    summary: "Language of mails when there is no template in the reader's language.",
  }),
  'services.email.templatesRootDir': setting(text('a folder'), {
    default: null,
    summary:
      'Folder whose <type>/<lang>/subject.pug and html.pug become the initial templates; default: the built-in ones.',
  }),
  'services.email.smtp.host': setting(text('a host name or an IP address'), {
    default: null,
    summary: 'Host of the SMTP server; without it, mail is disabled.',
  }),
  'services.email.smtp.port': setting(whole(1, 65535), {
    default: 587,
    summary: 'Port of the SMTP server: usually 587 for STARTTLS, 465 for TLS.',
  }),
  'services.email.smtp.secure': setting(yesOrNo, {
    default: false,
    summary: 'Use TLS from the start of the connection (port 465); false: STARTTLS, which is required when a password is sent to another machine.',
  }),
  'services.email.smtp.auth.user': setting(text('a user name'), {
    default: null,
    summary: 'User name for the SMTP server; without it, no login.',
  }),
  'services.email.smtp.auth.pass': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Password for the SMTP server.',
  }),
  'services.email.smtp.sendmail': setting(yesOrNo, {
    default: false,
    summary: 'Use the sendmail program of this machine instead of an SMTP server.',
  }),
  'services.email.smtp.path': setting(text('a file'), {
    default: '/usr/sbin/sendmail',
    summary: 'Path of the sendmail program.',
  }),
  'services.email.from.name': setting(text(), {
    default: null,
    summary: 'Sender name of mails; default: service.name.',
  }),
  'services.email.from.address': setting(textLike(/^[^\s@<>]+@[^\s@<>]+$/, 'an e-mail address'), {
    default: null,
    summary: 'Sender address of mails; default: the SMTP user name if it is an address, otherwise no-reply at this host.',
  }),
} as const
