/** Settings of mail (accounts supplement 16, 25). */
import { oneOf, secretKey, setting, text, textLike, webAddress, whole, yesOrNo } from '../setting.js'

const templateName = textLike(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name of letters, digits, dots and dashes')

export const mailSettings = {
  'services.email.enabled.welcome': setting(yesOrNo, {
    default: true,
    summary: 'New accounts get a welcome mail.',
  }),
  'services.email.enabled.resetPassword': setting(yesOrNo, {
    default: true,
    summary: 'Forgotten passwords can be reset by mail.',
  }),
  'services.email.enabled.verifyEmail': setting(yesOrNo, {
    default: true,
    summary: 'Added e-mail addresses are proved by a mailed link.',
  }),
  'services.email.enabled.mfaChange': setting(yesOrNo, {
    default: true,
    summary: 'Owners are told by mail when their second factor changes.',
  }),
  'services.email.method': setting(oneOf('in-process', 'microservice', 'mandrill'), {
    default: 'in-process',
    summary: 'How mail is sent: by this node over SMTP or sendmail, or by a service over HTTP.',
  }),
  'services.email.url': setting(webAddress, {
    default: null,
    summary: 'Address of the service that sends mail, for the methods microservice and mandrill.',
  }),
  'services.email.key': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key of the service that sends mail.',
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
    summary: 'Template of the mail that proves an added address.',
  }),
  'services.email.emailChallengeTemplate': setting(templateName, {
    default: 'email-challenge',
    summary: 'Template of the mail with a code for registration.',
  }),
  'services.email.mfaChangeTemplate': setting(templateName, {
    default: 'mfa-change',
    summary: 'Template of the mail about a changed second factor.',
  }),
  'services.email.defaultLang': setting(textLike(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language code such as en'), {
    default: 'en',
    summary: "Language of mails when there is no template in the reader's.",
  }),
  'services.email.templatesRootDir': setting(text('a folder'), {
    default: null,
    summary:
      'Folder whose <type>/<lang>/subject.pug and html.pug become the first templates; without it, the built-in ones.',
  }),
  'services.email.smtp.host': setting(text('a host name or an IP address'), {
    default: null,
    summary: 'The SMTP server; without it, mail is off.',
  }),
  'services.email.smtp.port': setting(whole(1, 65535), {
    default: 587,
    summary: 'Port of the SMTP server: 587 usually begins in the clear, 465 with TLS.',
  }),
  'services.email.smtp.secure': setting(yesOrNo, {
    default: false,
    summary: 'TLS from the first byte (port 465); false: STARTTLS, which is demanded where a password goes to another machine.',
  }),
  'services.email.smtp.auth.user': setting(text('a user name'), {
    default: null,
    summary: 'User name at the SMTP server; without it, no login.',
  }),
  'services.email.smtp.auth.pass': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Password at the SMTP server.',
  }),
  'services.email.smtp.sendmail': setting(yesOrNo, {
    default: false,
    summary: 'Mail is handed to the sendmail program of this machine in place of an SMTP server.',
  }),
  'services.email.smtp.path': setting(text('a file'), {
    default: '/usr/sbin/sendmail',
    summary: 'The sendmail program.',
  }),
  'services.email.from.name': setting(text(), {
    default: null,
    summary: 'Name of the sender of mails; without it, service.name.',
  }),
  'services.email.from.address': setting(textLike(/^[^\s@<>]+@[^\s@<>]+$/, 'an e-mail address'), {
    default: null,
    summary: 'Address of the sender of mails; without it, the SMTP user name if that is one, else no-reply at this host.',
  }),
} as const
