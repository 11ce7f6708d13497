import { page, type Bundled } from './page.js'

const write = (subject: string, ...paragraphs: string[]): Bundled => page('fr', subject, paragraphs)

export const fr: Readonly<Record<string, Bundled>> = {
  'welcome-email': write(
    'Bienvenue chez #{SERVICE_NAME}',
    'p Bonjour #{USERNAME},',
    "p Votre compte #{SERVICE_NAME} est prêt. Votre nom d'utilisateur est #[strong #{USERNAME}].",
    "p Vous n'avez rien à faire maintenant. Conservez ce message si vous le souhaitez : il indique l'adresse avec laquelle vous vous êtes inscrit (#{EMAIL}).",
    "p Si vous n'avez pas créé ce compte, vous pouvez ignorer ce message.",
    'p #{SERVICE_NAME}',
  ),
  'reset-password': write(
    'Choisissez un nouveau mot de passe pour #{SERVICE_NAME}',
    'p Bonjour,',
    "p Un nouveau mot de passe a été demandé pour votre compte #{SERVICE_NAME}, sans doute par vous.",
    'p: a(href=RESET_LINK) Choisir un nouveau mot de passe',
    'p Le lien ne sert qu’une fois et expire bientôt.',
    "p Si vous n'avez rien demandé, ignorez ce message : votre mot de passe reste le même.",
    'p #{SERVICE_NAME}',
  ),
  'verify-email': write(
    'Confirmez votre adresse e-mail pour #{SERVICE_NAME}',
    'p Bonjour #{USERNAME},',
    "p L'adresse #{EMAIL} a été ajoutée à votre compte #{SERVICE_NAME}. Confirmez qu'elle est bien la vôtre :",
    'p: a(href=VERIFY_LINK) Confirmer cette adresse',
    "p Si vous ne l'avez pas ajoutée, ignorez ce message : l'adresse ne sera pas confirmée.",
    'p #{SERVICE_NAME}',
  ),
  'email-challenge': write(
    '#{CODE} est votre code pour #{SERVICE_NAME}',
    'p Bonjour,',
    'p Voici votre code pour vous inscrire chez #{SERVICE_NAME} :',
    "p(style='font-size: 1.6em; letter-spacing: .1em'): strong= CODE",
    "p Il est valable #{CODE_MAX_AGE_MINUTES} minutes, pour l'adresse #{EMAIL}.",
    'p #{SERVICE_NAME} ne vous le demandera jamais. Si vous ne vouliez pas vous inscrire, ignorez ce message.',
    'p #{SERVICE_NAME}',
  ),
  'mfa-change': write(
    'Votre second facteur chez #{SERVICE_NAME} a changé',
    'p Bonjour #{USERNAME},',
    "if MFA_CHANGE === 'enrolled'",
    '  p Un second facteur a été ajouté à votre compte #{SERVICE_NAME}. Désormais, la connexion demande votre mot de passe et un code.',
    "else if MFA_CHANGE === 'replaced'",
    '  p Le second facteur de votre compte #{SERVICE_NAME} a été remplacé par un autre.',
    "else if MFA_CHANGE === 'recovered'",
    '  p Le second facteur de votre compte #{SERVICE_NAME} a été retiré avec un code de secours.',
    "else if MFA_CHANGE === 'deactivatedByAdmin'",
    "  p L'opérateur de #{SERVICE_NAME} a retiré le second facteur de votre compte.",
    'else',
    '  p Le second facteur de votre compte #{SERVICE_NAME} a été retiré.',
    "p Si ce n'était pas vous, changez tout de suite votre mot de passe et écrivez à l'opérateur de #{SERVICE_NAME}.",
    'p #{SERVICE_NAME}',
  ),
}
