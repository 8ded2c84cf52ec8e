/** Orders to a model in languages that are written in Latin letters. */
import { type Language, phrase, words } from "./wording.ts"

/** Every word of the first list before every word of the second. */
const pairs = (first: string, second: string) =>
  first.split(" ").flatMap((one) => second.split(" ").map((two) => `${one} ${two}`))

export const LATIN: ReadonlyArray<Language> = [
  {
    name: "English",
    override: {
      stems: [
        "ignor",
        "disregard",
        "forget",
        "overrid",
        "bypass",
        "neglect",
        "discard",
        "overlook",
        ...pairs("not n't stop never", "follow obey"),
        ...pairs("new updated real actual", "instruction")
      ],
      patterns: [
        words(
          "ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|neglect|discard|overlook",
          "previous|prior|above|preceding|earlier|former|existing|original|initial|system|your|all|any",
          "instructions?|prompts?|rules|directives|guidelines|context|commands|training|programming"
        ),
        words("ignore|disregard|forget", "everything|anything|all", "told|above|before|said|instructed"),
        words(
          "(?:do not|don't|stop|never) (?:follow|obey)(?:ing)?",
          "previous|prior|above|earlier|original|system",
          "instructions?|rules|prompts?"
        ),
        words("(?:new|updated|real|actual) instructions?", "are|follow|below")
      ]
    },
    role: {
      stems: ["you are now", "you're now", "from now on", "you will now", "pretend"],
      patterns: [
        words(
          "you are now|you're now|from now on,? you(?: are|'re| will| must)|you will now (?:act|be|play)",
          "an?|the|in (?:an? )?[a-z]{2,14} mode|no longer|my|free|acting|going|DAN|ignore|answer|respond|only|unrestricted"
        ),
        words("pretend (?:to be|you are|you're|that you)", "an?|the|not|no|unrestricted|free")
      ]
    },
    prompt: {
      stems: [
        "system prompt",
        "system_prompt",
        "system-prompt",
        "systemprompt",
        ...pairs("system initial hidden original secret", "instruction message rules")
      ],
      patterns: [
        phrase("system[ _-]?prompts?"),
        words(
          "reveal|show|print|repeat|output|leak|disclose|tell me|display",
          "your|the",
          "(?:system|initial|hidden|original|secret) (?:instructions?|message|rules)"
        )
      ]
    }
  },
  {
    name: "German",
    override: {
      stems: ["ignorier", "vergiss", "vergess", "missacht", "überschr", "verwirf", "übergeh", "beachte"],
      patterns: [
        words(
          "ignorier(?:e|en|t)?|vergiss|vergessen|missachte[nt]?|überschreib(?:e|en)|verwirf|übergeh(?:e|en)|beachte",
          "vorherigen?|vorigen?|bisherigen?|früheren?|obigen?|vorangegangenen?|vorangehenden?|vorhergehenden?|ursprünglichen?|alle|deine|ihre|sämtliche|nicht",
          "anweisung(?:en)?|anordnungen|instruktionen|vorgaben|befehle|regeln|prompts?"
        )
      ]
    },
    role: {
      stems: ["du bist", "sie sind", "bist du", "sind sie"],
      patterns: [
        words(
          "du bist (?:jetzt|nun|ab sofort|ab jetzt)|sie sind (?:jetzt|nun|ab sofort)|(?:ab jetzt|ab sofort|von nun an) (?:bist du|sind sie)",
          "eine?|einer|der|die|das|kein|keine|im|mein|nicht"
        )
      ]
    },
    prompt: {
      stems: ["systemp", "system-p", "systema", "system-a", "systemn", "system-n"],
      patterns: [
        phrase(
          "(?:dein|deine[nmr]?|den|der|dem|des|ihr|ihre[nmr]?|im|vom) system-?prompts?|system-?(?:anweisung(?:en)?|nachricht|aufforderung)"
        )
      ]
    }
  },
  {
    name: "French",
    override: {
      stems: ["ignor", "oubli", "néglig", "tiens", "tenez", "abstraction", "outrepass"],
      patterns: [
        words(
          "ignor(?:e|ez|er|ons)|oubli(?:e|ez|er)|néglig(?:e|ez|er)|ne (?:tiens|tenez) (?:pas|plus) compte|fai(?:s|tes) abstraction|outrepass(?:e|ez)",
          "instructions|consignes|directives|règles|ordres|prompts?|commandes",
          "précédente?s|antérieure?s|ci-dessus|initiale?s|originale?s|d'avant|système|préalables|reçue?s"
        ),
        words(
          "ignor(?:e|ez|er)|oubli(?:e|ez|er)",
          "précédente?s|anciennes|toutes|vos|tes",
          "instructions|consignes|directives|règles|ordres"
        )
      ]
    },
    role: {
      stems: ["tu es", "vous êtes"],
      patterns: [
        words(
          "(?:tu es|vous êtes) (?:maintenant|désormais|à présent)|(?:désormais|maintenant|à partir de maintenant),? (?:tu es|vous êtes)",
          "une?|le|la|en|mon|libre|plus"
        )
      ]
    },
    prompt: {
      stems: ["système"],
      patterns: [phrase("(?:prompt|invite|message|instructions?|consignes?) (?:du |de )?système")]
    }
  },
  {
    name: "Spanish",
    override: {
      stems: ["ignor", "olvid", "caso omiso", "descart", "desatiend", "no sig", "no obed", "por alto"],
      patterns: [
        words(
          "ignor(?:a|e|en|ar|ad)|olvid(?:a|e|en|ar)|ha[zg]a? caso omiso|descart(?:a|e|ar)|desatiend(?:e|a)|no (?:sigas|siga|obedezcas)|pas(?:a|e) por alto",
          "instrucciones|indicaciones|órdenes|reglas|directrices|prompts?|comandos",
          "anteriores|previas|previos|precedentes|de arriba|originales|iniciales|del sistema|recibidas"
        ),
        words(
          "ignor(?:a|e|en|ar)|olvid(?:a|e|ar)",
          "todas|tus|sus|anteriores|previas",
          "instrucciones|indicaciones|órdenes|reglas|directrices"
        )
      ]
    },
    role: {
      stems: ["ahora"],
      patterns: [
        words("(?:ahora|desde ahora|a partir de ahora),? (?:eres|serás|usted es)|eres ahora", "una?|el|la|mi|libre")
      ]
    },
    prompt: {
      stems: ["sistema"],
      patterns: [phrase("(?:prompt|instrucciones|mensaje|indicaciones) (?:del|de) sistema")]
    }
  },
  {
    name: "Portuguese",
    override: {
      stems: ["ignor", "esque", "desconsider", "desprez", "não siga", "descart"],
      patterns: [
        words(
          "ignor(?:e|em|a|ar)|esque[cç](?:a|am|er)|desconsider(?:e|em|ar)|desprez(?:e|em)|não siga|descart(?:e|em)",
          "instruç(?:ões|ão)|instrucoes|ordens|regras|diretrizes|prompts?|comandos|orientações",
          "anteriores|prévias|acima|precedentes|originais|iniciais|do sistema|recebidas"
        ),
        words(
          "ignor(?:e|em|ar)|esque[cç](?:a|am|er)|desconsider(?:e|em)",
          "todas|suas|anteriores|prévias",
          "instruç(?:ões|ão)|instrucoes|ordens|regras|diretrizes"
        )
      ]
    },
    role: {
      stems: ["agora"],
      patterns: [words("(?:agora|a partir de agora),? você (?:é|será)|você (?:agora é|é agora)", "uma?|o|a|meu|livre")]
    },
    prompt: { stems: ["sistema"], patterns: [phrase("(?:prompt|instruções|mensagem|instrucoes) (?:do|de) sistema")] }
  },
  {
    name: "Italian",
    override: {
      stems: ["ignor", "dimentic", "trascura", "tralascia", "non seguire", "non considerare"],
      patterns: [
        words(
          "ignora(?:re|te)?|ignori|dimentica(?:re|te)?|dimentichi|trascura(?:re|te)?|tralascia(?:re|te)?|non (?:seguire|considerare)",
          "istruzioni|ordini|regole|direttive|indicazioni|comandi|prompt",
          "precedenti|anteriori|sopra|iniziali|originali|ricevute|ricevuti|del sistema|di sistema"
        ),
        words(
          "ignora(?:re|te)?|ignori|dimentica(?:re|te)?",
          "tutte|tue|precedenti|vecchie",
          "istruzioni|ordini|regole|direttive|indicazioni|comandi"
        )
      ]
    },
    role: {
      stems: ["ora sei", "adesso sei", "sei ora", "sei adesso", "in poi"],
      patterns: [
        words(
          "(?:ora|adesso|d'ora in poi) sei|sei (?:ora|adesso)|da ora in poi (?:sei|sarai)",
          "una?|uno|il|la|lo|libero"
        )
      ]
    },
    prompt: { stems: ["sistema"], patterns: [phrase("(?:prompt|istruzioni|messaggio|indicazioni) (?:di|del) sistema")] }
  },
  {
    name: "Dutch",
    override: {
      stems: ["neger", "negeer", "vergeet", "vergeten", "verwerp", "sla ", "omzeil", "overschrijf"],
      patterns: [
        words(
          "negeer|negeren|vergeet|vergeten|verwerp|sla over|omzeil|overschrijf",
          "vorige|voorgaande|eerdere|bovenstaande|voorafgaande|oorspronkelijke|alle|jouw|je|uw",
          "instructies|opdrachten|aanwijzingen|regels|prompts?|bevelen|richtlijnen"
        )
      ]
    },
    role: {
      stems: ["bent nu", "bent v", "ben je", "bent u"],
      patterns: [
        words(
          "(?:je|jij|u) bent (?:nu|voortaan|vanaf nu)|(?:vanaf nu|voortaan) (?:ben je|bent u)",
          "een|de|het|mijn|geen|in"
        )
      ]
    },
    prompt: { stems: ["systeem"], patterns: [phrase("systeem-?(?:prompts?|instructies?|bericht)")] }
  },
  {
    name: "Turkish",
    override: {
      stems: ["yok say", "yoksay", "görmezden", "dikkate alma", "unut", "göz ardı", "gözardı", "geçersiz", "uyma"],
      patterns: [
        words(
          "önceki|yukarıdaki|evvelki|mevcut|tüm|bütün",
          String.raw`(?:talimat|yönerge|komut|kural|istem|emir)\p{L}{0,8}`,
          "yok say|yoksay|görmezden gel|dikkate alma|unut|göz ardı|gözardı|geçersiz kıl|uyma"
        ),
        words(
          "yok say|yoksay|görmezden gel|unut",
          "önceki|yukarıdaki|tüm|bütün",
          String.raw`(?:talimat|yönerge|komut|kural|emir)\p{L}{0,8}`
        )
      ]
    },
    role: {
      stems: ["artık", "andan itibaren", "şimdi bir"],
      patterns: [
        words(
          "(?:sen )?artık (?:sen )?(?:bir|sınırsız|özgür)|şu andan itibaren (?:sen|bir)|sen şimdi bir",
          String.raw`\p{L}{2,14}`
        )
      ]
    },
    prompt: {
      stems: ["sistem"],
      patterns: [String.raw`(?<!\p{L})sistem (?:prompt|istem|komut|talimat|mesaj|yönerge)\p{L}{0,6}`]
    }
  }
]
