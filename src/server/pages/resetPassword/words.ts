import type { InLanguages } from '../../base/words.js'

interface ResetPasswordWords {
  askTitle: string
  ask: string
  name: string
  askButton: string
  noMail: string
  askedTitle: string
  asked: string
  nothingCame: string
  title: string
  username: string
  ends: string
  button: string
  overTitle: string
  over: string
  reused(count: number): string
  early(date: string): string
  another: string
  doneTitle: string
  done: string
  signIn: string
}

export const resetPasswordWords: InLanguages<ResetPasswordWords> = {
  en: {
    askTitle: 'Reset your password',
    ask: 'We will send a link to the e-mail address of your account. Open it to choose a new password.',
    name: 'User name or e-mail address',
    askButton: 'Send me the link',
    noMail: 'This node cannot send mails to reset passwords. Ask its operator for a new password.',
    askedTitle: 'Check your mail',
    asked: 'If an account with this name or address exists, we have sent it a mail with a link.',
    nothingCame: 'No mail after a few minutes? Check your spam folder, then try again.',
    title: 'Choose a new password',
    username: 'User name',
    ends: 'A new password signs you out everywhere.',
    button: 'Set the new password',
    overTitle: 'This link is no longer valid',
    over: 'The link has expired, was already used or is incomplete, or your browser blocks cookies for this site. If you have already set a new password with it, sign in.',
    reused: (count) =>
      `The password was not changed: it must differ from the last ${count} passwords. Choose another one.`,
    early: (date) => `The password was set recently. You can change it from ${date} on.`,
    another: 'Request another link',
    doneTitle: 'Your password has been changed',
    done: 'The new password is set, and you are signed out everywhere.',
    signIn: 'Sign in',
  },
  fr: {
    askTitle: 'Réinitialiser votre mot de passe',
    ask: 'Nous enverrons un lien à l’adresse e-mail de votre compte. Ouvrez-le pour choisir un nouveau mot de passe.',
    name: 'Nom d’utilisateur ou adresse e-mail',
    askButton: 'M’envoyer le lien',
    noMail: 'Ce nœud ne peut pas envoyer d’e-mail pour réinitialiser les mots de passe. Demandez un nouveau mot de passe à son opérateur.',
    askedTitle: 'Consultez vos e-mails',
    asked: 'Si un compte avec ce nom ou cette adresse existe, nous lui avons envoyé un e-mail avec un lien.',
    nothingCame: 'Rien après quelques minutes ? Regardez dans vos courriers indésirables, puis réessayez.',
    title: 'Choisir un nouveau mot de passe',
    username: 'Nom d’utilisateur',
    ends: 'Un nouveau mot de passe vous déconnecte partout.',
    button: 'Enregistrer le nouveau mot de passe',
    overTitle: 'Ce lien n’est plus valable',
    over: 'Le lien a expiré, a déjà été utilisé ou est incomplet, ou votre navigateur bloque les cookies de ce site. Si vous avez déjà choisi un nouveau mot de passe grâce à lui, connectez-vous.',
    reused: (count) =>
      `Le mot de passe n’a pas été modifié : il doit différer des ${count} derniers. Choisissez-en un autre.`,
    early: (date) => `Le mot de passe est récent. Vous pourrez le modifier à partir du ${date}.`,
    another: 'Demander un autre lien',
    doneTitle: 'Votre mot de passe a été modifié',
    done: 'Le nouveau mot de passe est enregistré, et vous êtes déconnecté partout.',
    signIn: 'Se connecter',
  },
  de: {
    askTitle: 'Passwort zurücksetzen',
    ask: 'Wir senden einen Link an die E-Mail-Adresse Ihres Kontos. Öffnen Sie ihn, um ein neues Passwort zu wählen.',
    name: 'Benutzername oder E-Mail-Adresse',
    askButton: 'Link senden',
    noMail: 'Dieser Knoten kann keine E-Mails zum Zurücksetzen von Passwörtern senden. Bitten Sie dessen Betreiber um ein neues Passwort.',
    askedTitle: 'Sehen Sie in Ihrer E-Mail nach',
    asked: 'Falls es ein Konto mit diesem Namen oder dieser Adresse gibt, haben wir ihm eine E-Mail mit einem Link gesendet.',
    nothingCame: 'Nach einigen Minuten nichts angekommen? Sehen Sie im Spam-Ordner nach, und versuchen Sie es dann erneut.',
    title: 'Neues Passwort wählen',
    username: 'Benutzername',
    ends: 'Ein neues Passwort meldet Sie überall ab.',
    button: 'Neues Passwort setzen',
    overTitle: 'Dieser Link ist nicht mehr gültig',
    over: 'Der Link ist abgelaufen, wurde schon verwendet oder ist unvollständig, oder Ihr Browser blockiert Cookies dieser Seite. Falls Sie damit schon ein neues Passwort gesetzt haben, melden Sie sich an.',
    reused: (count) =>
      `Das Passwort wurde nicht geändert: Es muss sich von den letzten ${count} Passwörtern unterscheiden. Wählen Sie ein anderes.`,
    early: (date) => `Das Passwort wurde erst kürzlich gesetzt. Sie können es ab dem ${date} ändern.`,
    another: 'Neuen Link anfordern',
    doneTitle: 'Ihr Passwort wurde geändert',
    done: 'Das neue Passwort ist gesetzt, und Sie sind überall abgemeldet.',
    signIn: 'Anmelden',
  },
}
