import { page, type Bundled } from './page.js'

const write = (subject: string, ...paragraphs: string[]): Bundled => page('de', subject, paragraphs)

export const de: Readonly<Record<string, Bundled>> = {
  'welcome-email': write(
    'Willkommen bei #{SERVICE_NAME}',
    'p Guten Tag #{USERNAME},',
    'p Ihr Konto bei #{SERVICE_NAME} ist bereit. Ihr Benutzername ist #[strong #{USERNAME}].',
    'p Sie müssen jetzt nichts tun. Wenn Sie möchten, bewahren Sie diese Nachricht auf: Sie nennt die Adresse, mit der Sie sich registriert haben (#{EMAIL}).',
    'p Wenn Sie dieses Konto nicht angelegt haben, können Sie diese Nachricht ignorieren.',
    'p #{SERVICE_NAME}',
  ),
  'reset-password': write(
    'Neues Passwort für #{SERVICE_NAME}',
    'p Guten Tag,',
    'p für Ihr Konto bei #{SERVICE_NAME} wurde ein neues Passwort angefordert, vermutlich von Ihnen.',
    'p: a(href=RESET_LINK) Neues Passwort setzen',
    'p Der Link gilt einmal und läuft bald ab.',
    'p Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Ihr Passwort bleibt, wie es ist.',
    'p #{SERVICE_NAME}',
  ),
  'verify-email': write(
    'Bestätigen Sie Ihre E-Mail-Adresse für #{SERVICE_NAME}',
    'p Guten Tag #{USERNAME},',
    'p die Adresse #{EMAIL} wurde Ihrem Konto bei #{SERVICE_NAME} hinzugefügt. Bitte bestätigen Sie, dass es Ihre ist:',
    'p: a(href=VERIFY_LINK) Diese Adresse bestätigen',
    'p Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Die Adresse bleibt unbestätigt.',
    'p #{SERVICE_NAME}',
  ),
  'email-challenge': write(
    '#{CODE} ist Ihr Code für #{SERVICE_NAME}',
    'p Guten Tag,',
    'p das ist Ihr Code für die Registrierung bei #{SERVICE_NAME}:',
    "p(style='font-size: 1.6em; letter-spacing: .1em'): strong= CODE",
    'p Er gilt #{CODE_MAX_AGE_MINUTES} Minuten, für die Adresse #{EMAIL}.',
    'p #{SERVICE_NAME} wird Sie nie danach fragen. Wenn Sie sich nicht registrieren wollten, ignorieren Sie diese Nachricht.',
    'p #{SERVICE_NAME}',
  ),
  'mfa-change': write(
    'Ihr zweiter Faktor bei #{SERVICE_NAME} hat sich geändert',
    'p Guten Tag #{USERNAME},',
    "if MFA_CHANGE === 'enrolled'",
    '  p Ihr Konto bei #{SERVICE_NAME} hat jetzt einen zweiten Faktor. Die Anmeldung verlangt von nun an Ihr Passwort und einen Code.',
    "else if MFA_CHANGE === 'replaced'",
    '  p Der zweite Faktor Ihres Kontos bei #{SERVICE_NAME} wurde durch einen anderen ersetzt.',
    "else if MFA_CHANGE === 'recovered'",
    '  p Der zweite Faktor Ihres Kontos bei #{SERVICE_NAME} wurde mit einem Wiederherstellungscode entfernt.',
    "else if MFA_CHANGE === 'deactivatedByAdmin'",
    '  p Der Betreiber von #{SERVICE_NAME} hat den zweiten Faktor Ihres Kontos entfernt.',
    'else',
    '  p Der zweite Faktor Ihres Kontos bei #{SERVICE_NAME} wurde entfernt.',
    'p Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und schreiben Sie dem Betreiber von #{SERVICE_NAME}.',
    'p #{SERVICE_NAME}',
  ),
}
