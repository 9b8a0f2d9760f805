/** Names of time zones, as the database of zones spells them. */

import { onFirstUse } from "../../../base/first-use.ts";

/**
 * Older and other names of zones. Which name of a zone the runtime lists depends on its version, and it accepts every name in any
 * case; the database does not.
 */
const otherNames = `
Africa/Asmara Africa/Asmera Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza
America/Atikokan America/Atka America/Buenos_Aires America/Catamarca America/Coral_Harbour America/Cordoba
America/Ensenada America/Fort_Wayne America/Godthab America/Indiana/Indianapolis America/Indianapolis America/Jujuy
America/Kentucky/Louisville America/Knox_IN America/Louisville America/Mendoza America/Montreal America/Nipigon
America/Nuuk America/Pangnirtung America/Porto_Acre America/Rainy_River America/Rosario America/Santa_Isabel
America/Shiprock America/Thunder_Bay America/Virgin America/Yellowknife Antarctica/South_Pole Asia/Ashkhabad
Asia/Calcutta Asia/Choibalsan Asia/Chongqing Asia/Chungking Asia/Dacca Asia/Harbin Asia/Ho_Chi_Minh Asia/Istanbul
Asia/Kashgar Asia/Kathmandu Asia/Katmandu Asia/Kolkata Asia/Macao Asia/Rangoon Asia/Saigon Asia/Tel_Aviv Asia/Thimbu
Asia/Ujung_Pandang Asia/Ulan_Bator Asia/Yangon Atlantic/Faeroe Atlantic/Faroe Atlantic/Jan_Mayen Australia/ACT
Australia/Canberra Australia/Currie Australia/LHI Australia/NSW Australia/North Australia/Queensland Australia/South
Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna Brazil/Acre Brazil/DeNoronha Brazil/East
Brazil/West CET CST6CDT Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain Canada/Newfoundland
Canada/Pacific Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire
Etc/GMT Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Kiev Europe/Kyiv Europe/Nicosia
Europe/Tiraspol Europe/Uzhgorod Europe/Zaporozhye GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland
Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT
Navajo PRC PST8PDT Pacific/Chuuk Pacific/Enderbury Pacific/Johnston Pacific/Kanton Pacific/Pohnpei Pacific/Ponape
Pacific/Samoa Pacific/Truk Pacific/Yap Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Aleutian US/Arizona
US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa UTC
Universal W-SU WET Zulu
`;

const known = onFirstUse(() => new Set([...Intl.supportedValuesOf("timeZone"), ...otherNames.trim().split(/\s/)]));

function isZone(name: string): boolean {
  return known().has(name) || /^Etc\/GMT([+-]([1-9]|1[0-2])|-1[34]|[+-]?0)$/.test(name);
}

export function timeZoneProblems(name: string): readonly string[] {
  if (name === "") return ["must not be empty"];
  return isZone(name) ? [] : ["unknown time zone; must be a name such as Europe/Berlin or UTC"];
}
