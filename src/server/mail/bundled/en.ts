import { page, type Bundled } from './page.js'

const write = (subject: string, ...paragraphs: string[]): Bundled => page('en', subject, paragraphs)

export const en: Readonly<Record<string, Bundled>> = {
  'welcome-email': write(
    'Welcome to #{SERVICE_NAME}',
    'p Hello #{USERNAME},',
    'p Your account at #{SERVICE_NAME} is ready. Your user name is #[strong #{USERNAME}].',
    'p Nothing needs to be done now. Keep this mail if you like: it tells you which address you registered with (#{EMAIL}).',
    'p If you did not create this account, you can ignore this mail.',
    'p #{SERVICE_NAME}',
  ),
  'reset-password': write(
    'Set a new password at #{SERVICE_NAME}',
    'p Hello,',
    'p A new password was requested for your account at #{SERVICE_NAME}, probably by you.',
    'p: a(href=RESET_LINK) Set a new password',
    'p The link works once, and expires soon.',
    'p If you did not ask for it, ignore this mail: your password stays as it is.',
    'p #{SERVICE_NAME}',
  ),
  'verify-email': write(
    'Confirm your e-mail address at #{SERVICE_NAME}',
    'p Hello #{USERNAME},',
    'p The address #{EMAIL} was added to your account at #{SERVICE_NAME}. Please confirm that it is yours:',
    'p: a(href=VERIFY_LINK) Confirm this address',
    'p If you did not add it, ignore this mail: the address stays unconfirmed.',
    'p #{SERVICE_NAME}',
  ),
  'email-challenge': write(
    '#{CODE} is your code for #{SERVICE_NAME}',
    'p Hello,',
    'p This is your code to register at #{SERVICE_NAME}:',
    "p(style='font-size: 1.6em; letter-spacing: .1em'): strong= CODE",
    'p It works for #{CODE_MAX_AGE_MINUTES} minutes, for the address #{EMAIL}.',
    'p #{SERVICE_NAME} will never ask you for it. If you did not want to register, ignore this mail.',
    'p #{SERVICE_NAME}',
  ),
  'mfa-change': write(
    'Your second factor at #{SERVICE_NAME} has changed',
    'p Hello #{USERNAME},',
    "if MFA_CHANGE === 'enrolled'",
    '  p A second factor was added to your account at #{SERVICE_NAME}. From now on, logging in requires your password and a code.',
    "else if MFA_CHANGE === 'replaced'",
    '  p The second factor of your account at #{SERVICE_NAME} was replaced by another one.',
    "else if MFA_CHANGE === 'recovered'",
    '  p The second factor of your account at #{SERVICE_NAME} was removed with a recovery code.',
    "else if MFA_CHANGE === 'deactivatedByAdmin'",
    '  p The operator of #{SERVICE_NAME} removed the second factor of your account.',
    'else',
    '  p The second factor of your account at #{SERVICE_NAME} was removed.',
    'p If this was not you, change your password at once and write to the operator of #{SERVICE_NAME}.',
    'p #{SERVICE_NAME}',
  ),
}
