/** Cooking, baking, keeping food. */
export const kitchen = `
Q: How do I boil an egg?
A: Bring a small pot of water to the boil, lower the egg in with a spoon and turn the heat down a little. Six minutes give a soft yolk, eight minutes a creamy one and ten minutes a firm one. Put the egg into cold water afterwards, so that it stops cooking and is easier to peel.
---
Q: How do I make a simple tomato sauce?
A: Warm some olive oil in a wide pan and let a chopped onion soften in it without taking colour. Add two cloves of garlic, wait until you can smell them, and pour in a tin of good tomatoes. Crush the tomatoes with a spoon, add salt and a pinch of sugar, and let the sauce simmer for twenty minutes. Tear a few leaves of basil over it at the end.
---
Q: How much salt should I put in the water for pasta?
A: About ten grams for every litre, which is two level teaspoons. The water should taste pleasantly salty, not like the sea. Add the salt when the water boils, then the pasta, and stir once in the first minute so that nothing sticks.
---
Q: How do I bake bread?
A: Mix five hundred grams of flour with three hundred and fifty grams of water, ten grams of salt and a small spoon of yeast. Let the dough rest under a cloth until it has doubled, fold it a few times, shape it into a ball and let it rise again. Heat the oven as high as it will go with an iron pot inside, put the dough into the hot pot, close the lid and bake it for thirty minutes. Take the lid off and bake for another fifteen, until the crust is dark and sounds hollow when you knock on it.
---
Q: Why does bread rise?
A: Yeast eats the sugar in the flour and breathes out gas. The dough is stretchy because of the gluten in it, so the gas cannot escape and blows the dough up like a great many small balloons. In the oven the bubbles grow once more, the starch sets around them, and the loaf keeps its shape.
---
Q: My cake did not rise. What went wrong?
A: There are three usual reasons. The baking powder may have been too old; put a spoon of it into hot water, and if it hardly fizzes, throw it away. The oven may have been too cold when the cake went in. Or the batter was stirred too long after the flour was added, which makes it tough and heavy.
---
Q: How do I keep herbs fresh?
A: Treat soft herbs like flowers. Cut the ends of the stems, stand them in a glass of water and put a loose bag over the top. Parsley and coriander keep for a week like this in the refrigerator. Basil does not like the cold, so leave it on the windowsill.
---
Q: What can I cook with potatoes and onions?
A: Slice both of them thinly and fry them slowly in plenty of oil until they are soft and a little golden. Beat four eggs with salt, mix everything together, and pour it back into the pan. Let it set over a low flame, turn it with the help of a plate, and cook the other side. It is good when it is warm and even better when it is cold.
---
Q: How do I sharpen a kitchen knife?
A: Use a stone, wet it, and lay the blade on it at an angle of about twenty degrees, as if a matchbox were under its back. Draw the whole edge along the stone as if you wanted to cut a thin slice off it. Do this ten times on each side, then five times, then once. A sharp knife goes through a tomato by its own weight.
---
Q: How do I make soup from leftovers?
A: Soften an onion in butter, add whatever vegetables you have in small pieces, and cover them with water or stock. Let it simmer until everything is tender, which takes about twenty minutes. Then taste it. If it is flat, it needs salt; if it is dull, it needs a few drops of lemon; if it is thin, crush a potato in it.
---
Q: What is the difference between baking powder and baking soda?
A: Baking soda is a pure salt that needs something sour to make it work, such as yoghurt or lemon juice. Baking powder already contains the sour part in dry form, so it only needs water and heat. You can replace one teaspoon of soda with three of powder, but not the other way round without adding an acid.
---
Q: How do I cook rice?
A: Rinse the rice until the water runs clear. Put one cup of rice and one and a half cups of water into a pot with a tight lid, bring it to the boil, and turn the heat down as low as it goes. After twelve minutes take the pot off the fire and let it stand, without lifting the lid, for ten minutes more. Loosen the grains with a fork.
---
Q: How long can I keep soup in the refrigerator?
A: Three days is a good rule, if you cooled it quickly and keep it covered. Bring it to a full boil before you eat it again. If it smells sour or small bubbles rise in it while it is cold, do not taste it, and throw it away.
---
Q: How do I make good coffee?
A: Grind the beans just before you need them and use about sixty grams for a litre of water. The water should be just off the boil. Pour a little of it over the coffee, wait half a minute until it has stopped foaming, and then pour the rest slowly in circles. If it tastes bitter, grind coarser; if it tastes sour, grind finer.
---
Q: How do you make tea properly?
A: Warm the pot first, then use one spoon of leaves for each cup. Black tea wants boiling water and four minutes, green tea wants cooler water and two. Take the leaves out when the time is up, because tea that stands on its leaves becomes bitter and blames you for it.
---
Q: What should I do if I put too much salt in the soup?
A: Make more soup. Add water or unsalted stock, and some more vegetables to go with it. A potato does not pull the salt out, whatever people say; it only gives the salt more company. A spoon of cream or a little lemon juice can hide the rest.
---
Q: Can you give me a recipe for pancakes?
A: Whisk two eggs with three hundred millilitres of milk, add one hundred and fifty grams of flour and a pinch of salt, and let the batter rest for a quarter of an hour. Heat a little butter in a pan until it stops foaming, pour in a thin layer of batter and tilt the pan so that it spreads. Turn the pancake when the edge comes loose. The first one always goes wrong and belongs to the cook.
---
Q: Why should meat rest after cooking?
A: In the heat the fibres tighten and press the juice towards the middle. If you cut the meat at once, the juice runs out over the board. After five or ten minutes under a loose cover the fibres relax and take the juice back, and more of it ends up in your mouth.
---
Q: What is a good breakfast?
A: One that keeps you going until noon without making you sleepy. Porridge with an apple and a few nuts does it well. So does a slice of dark bread with cheese, or an egg and a tomato. Sugar on its own is gone by ten.
---
Q: How do I peel garlic quickly?
A: Lay the clove on a board, put the flat side of a broad knife on it and press until you hear a small crack. The skin comes away by itself. If you have many cloves, shake them hard between two bowls for half a minute.
---
Q: How do I know when fish is done?
A: Push a thin knife into the thickest part and hold it there for a moment. If the knife feels warm on your lip and the flesh comes apart in large flakes, the fish is done. If the flesh clings to the bone and looks like glass, give it another minute.
---
My grandmother never owned a set of scales. She measured flour by the sound it made when it fell into the bowl, and butter by the dent her thumb left in it. When I asked her for the recipe of her plum cake she said that there was no recipe, only a Sunday. So one Sunday I stood beside her with a pencil and weighed everything after it had passed through her hands. The numbers came out even to the gram. She looked at my paper, nodded, and said that I had written down everything except the waiting.
---
A stock is the quietest thing you can cook. Put bones or mushrooms, a carrot, a leek, a piece of celery and a few peppercorns into a large pot, and cover them with cold water. Heat it slowly. Just before it boils a grey foam will rise; take it off with a spoon. From then on the surface should only tremble. After three hours pour it through a cloth, let it cool, and take off the fat. What remains has almost no colour and makes every other dish taste more like itself.
---
The rule in that kitchen was simple: whoever cooks does not wash up, and whoever washes up may choose the music. It worked for years. The cooks became careless with pans, the washers became fond of long operas, and nobody complained, because each side believed that it had the better part of the bargain.
---
To pickle cucumbers, choose small firm ones and wash them well. Pack them upright into clean jars with dill, a clove of garlic and a few mustard seeds. Boil one litre of water with half a litre of vinegar, three spoons of sugar and two spoons of salt, and pour it over the cucumbers while it is hot. Close the jars and turn them on their heads for five minutes. After two weeks in a dark place they are ready, and after two months they are better.
---
There are only a few ways to spoil an onion, and most of them are haste. On a high flame the edges burn while the middle stays raw, and the whole dish tastes of smoke. On a low flame, with a little salt to draw out the water, the onion first turns clear, then soft, then the colour of straw. If you have half an hour it will go on to amber and become so sweet that guests ask what you have added. You have added nothing. You have only waited, and stirred from time to time.
`;
