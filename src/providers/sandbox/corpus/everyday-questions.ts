/** Short questions of general knowledge, small sums, and the requests that people try first. */
export const everydayQuestions = `
Q: What is the capital of France?
A: The capital of France is Paris. It lies on the river Seine, and more than two million people live inside its old limits.
---
Q: What is the capital of Italy?
A: The capital of Italy is Rome. People have lived on its hills without a break for close to three thousand years.
---
Q: What is the capital of Japan?
A: The capital of Japan is Tokyo, which grew from a fishing village at the mouth of a river into one of the largest cities in the world.
---
Q: What is the capital of Germany?
A: The capital of Germany is Berlin. It is a green and watery city, with more bridges than most people expect.
---
Q: What is the capital of Spain?
A: The capital of Spain is Madrid, which stands on a high plain almost exactly in the middle of the country.
---
Q: Which is the longest river in the world?
A: The Nile is usually given as the longest, with about 6,650 kilometres. The Amazon is nearly as long and carries far more water, and people still argue about where each of them begins.
---
Q: What is the highest mountain on Earth?
A: Mount Everest is the highest above the sea, at 8,849 metres. If you measure from the foot on the sea floor, a volcano on Hawaii is taller, but most of it stands under water.
---
Q: How many continents are there?
A: Most schools teach seven: Africa, Antarctica, Asia, Australia, Europe, North America and South America. Others count the two Americas as one, or put Europe and Asia together, so five and six are not wrong either.
---
Q: What is 2 + 2?
A: Two plus two is four.
---
Q: What is 7 times 8?
A: Seven times eight is fifty-six. A trick to remember it: five, six, seven, eight, as in fifty-six is seven times eight.
---
Q: What is ten per cent of 250?
A: Ten per cent of 250 is 25. To take ten per cent of any number, move the point one place to the left.
---
Q: How many days are in a year?
A: A common year has 365 days and a leap year has 366. The Earth needs about a quarter of a day more than 365 to go round the sun, and every fourth year the quarters are paid back.
---
Q: How many minutes are in a day?
A: There are 1,440 minutes in a day, because twenty-four hours of sixty minutes make that many.
---
Q: How far away is the moon?
A: The moon is about 384,000 kilometres away. Light needs a little more than a second for the journey, and a car on a good road would need half a year.
---
Q: What is the speed of light?
A: In empty space light travels 299,792,458 metres in one second. That is enough to go round the Earth seven times while you say the word seven.
---
Q: At what temperature does water boil?
A: At sea level water boils at 100 °C. On a high mountain the air presses less on the surface, so it boils sooner, and potatoes take longer to become soft.
---
Q: What is the largest animal?
A: The blue whale is the largest animal that has ever lived. A grown one can be thirty metres long, and its heart weighs as much as a small horse.
---
Q: What is the fastest animal on land?
A: The cheetah is the fastest on land. It can reach more than a hundred kilometres an hour, but only for half a minute; after that it has to lie down and breathe.
---
Q: Who invented the wheel?
A: Nobody knows. The oldest wheels we have found are more than five thousand years old, and the first ones were probably used to turn clay and not to carry anything.
---
Q: What colour do you get when you mix blue and yellow?
A: With paint you get green. With light it is different: blue light and yellow light together look nearly white.
---
Q: What is the boiling point of water in Fahrenheit?
A: Water boils at 212 degrees Fahrenheit, which is the same as 100 degrees Celsius. It freezes at 32 degrees.
---
Q: How do I convert Celsius to Fahrenheit?
A: Multiply the number by nine, divide it by five and add thirty-two. For a quick guess, double it and add thirty: twenty degrees become seventy, and the true answer is sixty-eight.
---
Q: How many letters are in the alphabet?
A: The English alphabet has twenty-six letters: five that are always vowels, one that cannot decide, and twenty that are consonants.
---
Q: Write a sentence that uses every letter of the alphabet.
A: The quick brown fox jumps over the lazy dog.
---
The quick brown fox jumps over the lazy dog, and the dog, who is not as lazy as people say, opens one eye. The fox jumps back. The dog closes the eye again. They have played this game every evening since the summer, and neither of them has ever told the others what it is about.
---
Q: Translate hello into French.
A: In French you say bonjour during the day and bonsoir in the evening. Among friends a simple salut will do.
---
Q: How do you say thank you in Spanish?
A: In Spanish you say gracias. If you want to say it warmly, say muchas gracias, which means many thanks.
---
Q: Translate good morning into German.
A: Good morning in German is guten Morgen. In some parts of the country people simply say Moin, at any hour.
---
Q: Write a one-sentence bedtime story about a unicorn.
A: When the last lamp in the village had gone out, a small unicorn walked softly from door to door and left on every step a little of the moonlight that she had saved up during the day.
---
Q: Write a haiku about recursion in programming.
A: To know the whole call, first know a smaller one well. The base case is home.
---
Q: Explain quantum computing in simple terms.
A: An ordinary computer works with switches that are either on or off. A quantum computer works with tiny systems that can be in a mixture of both, and a few of them together can be in a mixture of a great many states at once. You cannot read all of these states out. The art is to let the wrong answers cancel each other, as waves do, until the right one is what you are likely to see.
---
Q: Explain how a computer works to a child.
A: Think of a very fast and very obedient clerk with a huge wall of drawers. In each drawer lies a number. The clerk has a list of tiny orders, such as take the number from this drawer, add it to that one, put the sum over there. The clerk never gets tired and never asks why. Pictures, songs and games are only numbers in drawers, and somebody had the patience to write the list.
---
Q: What is artificial intelligence?
A: It is the attempt to make machines do things for which people need thought: to understand a sentence, to recognise a face, to plan a way. Most of it today works by finding patterns in a great many examples. It is clever in the way a mirror is clever, and it is wise to ask what it was shown.
---
Q: What is a language model?
A: A language model gives a probability to every word that might come next. To write a text it chooses one of them, adds it to what is there, and asks again. A small model looks back a few words, a large one looks back over many pages, but the game is the same.
---
Q: What does API mean?
A: The letters stand for application programming interface. It is the agreement between two programs: which questions one may ask, in which form, and what the other promises to answer.
---
Q: What is a token?
A: A token is the piece of text that a language model reads and writes at a time. Short and common words are one token, long and rare ones are put together from several. In English a token is about four letters long.
---
Q: What does temperature mean for a language model?
A: It says how bold the model is. At zero it always takes the likeliest word. At one it follows its probabilities as they are, and above one it gives the unlikely words more of a chance, until the text falls apart.
---
Q: Give me three names for a cat.
A: You could call it Pepper, Biscuit or Mister Grey. Say the name aloud at an open window before you decide, because that is how you will use it.
---
Q: Suggest a name for a small bakery.
A: How about The Early Loaf? It tells people what you sell and when they should come. If you want something quieter, call it Crumb and Salt.
---
Q: Give me a list of five fruits.
A: Here are five: apple, pear, plum, cherry and orange.
---
Q: List three colours.
A: Red, green and blue.
---
Q: Name the planets of the solar system.
A: From the sun outwards they are Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus and Neptune.
---
Q: What are the months of the year?
A: January, February, March, April, May, June, July, August, September, October, November and December.
---
Q: What are the days of the week?
A: Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday.
---
Q: Summarise the following text.
A: In short: something small was changed, nobody noticed at first, and by the time they did it had become the way things were done.
---
Q: Summarize this for me, please.
A: Here is the short version. The plan is sound, the dates are a little hopeful, and one question about the cost is still open.
---
Q: Is this sentence positive or negative: I love this product?
A: The sentence is positive. The word love leaves little room for doubt.
---
Q: What is the opposite of hot?
A: The opposite of hot is cold, unless you are talking about food, in which case it may be mild.
---
Q: Correct the grammar: She no went to the market.
A: The correct sentence is: She did not go to the market.
---
Q: What is a synonym for happy?
A: You could say glad, cheerful, pleased or content. Glad is light and short, and content is the quietest of them.
---
Q: Write a tagline for an ice cream shop.
A: One scoop of summer, whatever the month.
---
Q: What would be a good company name for a company that makes colorful socks?
A: You could call it Bright Step, Odd Pair or The Happy Ankle. I like Odd Pair best, because everybody already owns one.
---
Q: Yes or no: is the sky green?
A: No. It is blue by day, black by night, and once in a while, before a great storm, it does turn a little green.
---
Q: What happened first, the chicken or the egg?
A: The egg, by a very long time. Fish and lizards laid eggs millions of years before there was a chicken. If you mean the egg of a chicken, the answer depends on whether you name an egg after the bird that laid it or the bird that comes out.
---
Q: Which three questions should I ask before I buy a house?
A: First, what is wrong with the house: ask for a survey of the roof, the damp and the wiring. Second, what does it cost each month, with the loan, the taxes, the heating and the repairs? Third, how is it to live there: visit the street at night, in the rain and at the hour when you would go to work.
`;
